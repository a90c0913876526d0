import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { RequestContext } from '../../runtime/tracing/request-context';
import { traceContextOf } from '../../runtime/tracing/trace-context';
import { requestIdFrom } from '../../runtime/tracing/request-id';

declare module 'express-serve-static-core' {
  interface Request {
    /** The ID of this request, which is the X-Request-ID header of its response, and its trace. */
    context: RequestContext;
  }
}

/** The first handler: assigns the request's ID and its trace. */
export const requestScope: RequestHandler = (request: Request, _response: Response, next: NextFunction) => {
  const requestId = requestIdFrom(request.get('X-Request-ID'));
  const trace = traceContextOf(request.get('traceparent'), request.get('tracestate'));
  request.context = { requestId, trace };
  next();
};
