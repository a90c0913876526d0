import type { Request, RequestHandler } from 'express';
import type { Logger } from '../logging/logger';

/**
 * One line for each request, when its answer is out or its client gone. It names the route by its pattern: a raw URL
 * may hold whatever a client put into it.
 */
export function requestLog(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const start = process.hrtime.bigint();
    response.once('close', () => {
      logger.info(
        {
          method: request.method,
          route: routeOf(request),
          status: response.statusCode,
          duration_ms: Number(process.hrtime.bigint() - start) / 1e6,
          request_id: request.requestId,
          ...(request.caller && { customer_id: request.caller.customer.id }),
          ...(!response.writableFinished && { aborted: true }),
        },
        'request',
      );
    });
    next();
  };
}

function routeOf(request: Request): string | null {
  const route = request.route as { readonly path?: unknown } | undefined; // Express types it `any`.
  return typeof route?.path === 'string' ? route.path : null;
}
