import type { RequestHandler } from 'express';
import type { RequestContext } from '../../runtime/tracing/request-context';
import { requestIdFrom } from '../../runtime/tracing/request-id';
import type { RequestSpan, Spans } from '../../runtime/tracing/spans';

declare module 'express-serve-static-core' {
  interface Request {
    /** The ID of this request, which is the X-Request-ID header of its response, and its trace. */
    context: RequestContext;
    /** Undefined if the request is not recorded. */
    span: RequestSpan | undefined;
  }
}

/** The first handler: assigns the request's ID and its trace. */
export function requestScope(spans: Spans): RequestHandler {
  return (request, _response, next) => {
    const requestId = requestIdFrom(request.get('X-Request-ID'));
    const { trace, span } = spans.ofRequest(
      request.method,
      request.get('traceparent'),
      request.get('tracestate'),
    );
    request.context = { requestId, trace };
    request.span = span;
    next();
  };
}
