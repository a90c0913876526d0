import { AsyncLocalStorage } from 'node:async_hooks';
import { traceHeaders, type TraceContext } from './trace-context';

/**
 * What everything done for a request can know about it: for the log, and for what goes along to called systems. Nothing
 * decides by it.
 */
export interface RequestContext {
  readonly requestId: string;
  readonly trace: TraceContext;
}

export const requestContext = new AsyncLocalStorage<RequestContext>();

/** The headers by which a called system can go on with the trace of the request being served; none outside of one. */
export function outgoingTrace(): Readonly<Record<string, string>> {
  const context = requestContext.getStore();
  return context === undefined ? {} : traceHeaders(context.trace);
}
