import type { Request, RequestHandler } from 'express';
import type { EndedRequest } from '../../runtime/metrics/ended-request';
import { whenClosed } from '../request/when-closed';

declare module 'express-serve-static-core' {
  interface Request {
    /** The connection that a platform's call is for, once the call is proven. */
    calledFor?: { readonly customerId: string; readonly platform: string };
  }
}

/** Calls the listeners for every request when it has ended. */
export function whenRequestEnds(...listeners: readonly ((ended: EndedRequest) => void)[]): RequestHandler {
  return (request, response, next) => {
    const start = performance.now();
    let isOut = false;
    // Node says so, too, when it drops the rest of an answer with its connection.
    const finish = (): void => void (isOut = !request.socket.destroyed);
    const end = (): void => {
      const ended: EndedRequest = {
        context: request.context,
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
    // A client that left while its request waited to be let in.
    if (!response.destroyed) next();
  };
}

function routeOf(request: Request): string | null {
  const route = request.route as { readonly path?: unknown } | undefined; // Express types it `any`.
  return typeof route?.path === 'string' ? route.path : null;
}
