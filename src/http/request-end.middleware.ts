import type { Request, RequestHandler } from 'express';
import type { RequestContext } from '../tracing/request-context';

/** A request whose answer is out, or whose client is gone. */
export interface EndedRequest {
  readonly context: RequestContext;
  readonly method: string;
  /** The route's pattern, null where there is none: a raw URL may hold whatever a client put into it. */
  readonly route: string | null;
  readonly status: number;
  readonly seconds: number;
  /** Undefined while no key was accepted. */
  readonly customerId: string | undefined;
  /** ID of the key, by which an operator sees whether a replaced one is still used. */
  readonly keyId: string | undefined;
  /** The client left before its answer was out. */
  readonly aborted: boolean;
}

/** Calls the listeners for every request when it has ended. */
export function whenRequestEnds(...listeners: readonly ((ended: EndedRequest) => void)[]): RequestHandler {
  return (request, response, next) => {
    const start = performance.now();
    const end = (): void => {
      const ended: EndedRequest = {
        context: request.context,
        method: request.method,
        route: routeOf(request),
        status: response.statusCode,
        seconds: (performance.now() - start) / 1e3,
        customerId: request.caller?.customer.id,
        keyId: request.caller?.keyId,
        aborted: !response.writableFinished,
      };
      for (const listener of listeners) listener(ended);
    };
    // A client that left while its request waited to be let in.
    if (response.destroyed) return end();
    response.on('close', end);
    next();
  };
}

function routeOf(request: Request): string | null {
  const route = request.route as { readonly path?: unknown } | undefined; // Express types it `any`.
  return typeof route?.path === 'string' ? route.path : null;
}
