import type { Request, RequestHandler } from 'express';
import type { RequestContext } from '../tracing/request-context';
import { whenClosed } from './when-closed';

declare module 'express-serve-static-core' {
  interface Request {
    /** The connection that a platform's call is for, once the call is proven. */
    calledFor?: { readonly customerId: string; readonly platform: string };
  }
}

/** A request whose answer is out, or whose client is gone. */
export interface EndedRequest {
  readonly context: RequestContext;
  readonly method: string;
  /** The route's pattern, null where there is none: a raw URL may hold whatever a client put into it. */
  readonly route: string | null;
  readonly status: number;
  readonly seconds: number;
  /** Undefined while neither a key nor the proof of a platform's call was accepted. */
  readonly customerId: string | undefined;
  /** Of a call of a platform, once it is proven. */
  readonly platform: string | undefined;
  /** ID of the key, by which an operator sees whether a replaced one is still used. */
  readonly keyId: string | undefined;
  /** The answer did not get out whole: the client left, or was cut off. */
  readonly aborted: boolean;
  /** Why it was cut off; undefined when that was no fault of ours. */
  readonly cause: Error | undefined;
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
