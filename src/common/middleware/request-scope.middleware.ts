import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { RequestContext } from '../../runtime/tracing/request-context';
import { traceContextOf } from '../../runtime/tracing/trace-context';
import { requestIdFrom, standardHeaders } from '../../runtime/tracing/request-id';

declare module 'express-serve-static-core' {
  interface Request {
    /** The ID of this request, as the X-Request-ID header of its answer, and its trace. */
    context: RequestContext;
  }
}

/** First of all handlers: gives the request its ID and the answer its standard headers. */
export const requestScope: RequestHandler = (request: Request, response: Response, next: NextFunction) => {
  const requestId = requestIdFrom(request.get('X-Request-ID'));
  const headers = standardHeaders(requestId);
  for (const name in headers) response.setHeader(name, headers[name] ?? '');
  const trace = traceContextOf(request.get('traceparent'), request.get('tracestate'));
  request.context = { requestId, trace };
  next();
};
