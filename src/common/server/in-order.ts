import type { NextFunction, RequestHandler } from 'express';

/**
 * Combines handlers into one that calls them one after another, until one does not pass the request on or fails.
 * Between two separate handlers Express compares paths and records its changes, which takes longer than the handlers of
 * every request themselves.
 */
export function inOrder(...handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, done) => {
    const call = (place: number): unknown => {
      const handler = handlers[place];
      if (handler === undefined) return done();
      const next: NextFunction = (reason?: unknown) =>
        reason === undefined ? call(place + 1) : done(reason);
      return handler(request, response, next);
    };
    return call(0);
  };
}
