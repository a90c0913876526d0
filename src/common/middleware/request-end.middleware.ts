import type { Request, RequestHandler } from 'express';
import type { EndedRequest } from '../../runtime/metrics/ended-request';
import { whenClosed } from '../request/when-closed';

declare module 'express-serve-static-core' {
  interface Request {
    /** The connection of a platform's notification, after the notification is proven. */
    calledFor?: { readonly customerId: string; readonly platform: string };
  }
}

/** Calls the listeners at the end of every request. */
export function whenRequestEnds(...listeners: readonly ((ended: EndedRequest) => void)[]): RequestHandler {
  return (request, response, next) => {
    const start = performance.now();
    let isOut = false;
    // Node also emits this event when it drops the rest of a response with its connection.
    const finish = (): void => void (isOut = !request.socket.destroyed);
    const end = (): void => {
      const ended: EndedRequest = {
        context: request.context,
        span: request.span,
        method: request.method,
        route: routeOf(request),
        status: response.statusCode,
        seconds: (performance.now() - start) / 1e3,
        customerId: request.caller?.customer.id ?? request.calledFor?.customerId,
        platform: request.calledFor?.platform,
        keyId: request.caller?.keyId,
        aborted: !isOut,
        cause: response.errored ?? undefined,
      };
      for (const listener of listeners) listener(ended);
    };
    response.once('finish', finish);
    whenClosed(response, end);
    // The client may have disconnected while its request waited for admission.
    if (!response.destroyed) next();
  };
}

function routeOf(request: Request): string | null {
  const route = request.route as { readonly path?: unknown } | undefined; // Express declares the type as `any`.
  return typeof route?.path === 'string' ? route.path : null;
}
