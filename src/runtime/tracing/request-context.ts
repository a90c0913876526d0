import { traceHeaders, type TraceContext } from './trace-context';

/**
 * A request that work is for, also when that goes on after its answer. The log shows it, and called systems get it. Nothing
 * decides by it. It is handed on, and not ambient: `AsyncLocalStorage` costs a fifteenth of a request on Node 20 and 22, and what an
 * outbox sends later runs in nobody's scope.
 */
export interface RequestContext {
  readonly requestId: string;
  readonly trace: TraceContext;
}

/** The headers with which a called system continues a request: its ID and its trace; none for work that is for no request. */
export function outgoingHeaders(request: RequestContext | undefined): Readonly<Record<string, string>> {
  return request === undefined ? {} : { ...traceHeaders(request.trace), 'x-request-id': request.requestId };
}

/** What a line of the log says of the request that it was written for. */
export interface LoggedRequest {
  readonly request_id: string;
  readonly trace_id: string;
  readonly span_id: string;
}

/** See {@link LoggedRequest}; nothing for work that is for no request. */
export function loggedRequest(request: RequestContext): LoggedRequest;
export function loggedRequest(request: RequestContext | undefined): LoggedRequest | Record<string, never>;
export function loggedRequest(request: RequestContext | undefined): LoggedRequest | Record<string, never> {
  if (request === undefined) return {};
  const { requestId, trace } = request;
  return { request_id: requestId, trace_id: trace.traceId, span_id: trace.spanId };
}
