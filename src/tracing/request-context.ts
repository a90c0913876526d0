import { AsyncLocalStorage } from 'node:async_hooks';
import { traceHeaders, type TraceContext } from './trace-context';

/**
 * The request that is being served, known to all work for it. The log shows it, and called systems get it. Nothing decides by
 * it.
 */
export interface RequestContext {
  readonly requestId: string;
  readonly trace: TraceContext;
}

export const requestContext = new AsyncLocalStorage<RequestContext>();

/** The headers with which a called system continues the trace of the request being served; none outside of a request. */
export function outgoingTrace(): Readonly<Record<string, string>> {
  const context = requestContext.getStore();
  return context === undefined ? {} : traceHeaders(context.trace);
}
