import { traceHeaders, type TraceContext } from './trace-context';

/**
 * The request that caused some work, even if the work continues after the response. The context is for the log and for
 * called systems; no decision depends on it. It is passed as an argument and is not ambient, because
 * `AsyncLocalStorage` costs a fifteenth of a request on Node 20 and 22, and the outbox's later work runs outside of any
 * request's scope.
 */
export interface RequestContext {
  readonly requestId: string;
  readonly trace: TraceContext;
}

/**
 * The headers with which a called system continues a request: its ID and its trace; none for work without a request.
 *
 * @param trace the span of the call, within the trace of the request
 */
export function outgoingHeaders(
  request: RequestContext | undefined,
  trace: TraceContext | undefined = request?.trace,
): Readonly<Record<string, string>> {
  if (request === undefined) return {};
  return { ...(trace && traceHeaders(trace)), 'x-request-id': request.requestId };
}

/** The members of a log line that identify its request. */
export interface LoggedRequest {
  readonly request_id: string;
  readonly trace_id: string;
  readonly span_id: string;
}

/** See {@link LoggedRequest}; empty for work without a request. */
export function loggedRequest(request: RequestContext): LoggedRequest;
export function loggedRequest(request: RequestContext | undefined): LoggedRequest | Record<string, never>;
export function loggedRequest(request: RequestContext | undefined): LoggedRequest | Record<string, never> {
  if (request === undefined) return {};
  const { requestId, trace } = request;
  return { request_id: requestId, trace_id: trace.traceId, span_id: trace.spanId };
}
