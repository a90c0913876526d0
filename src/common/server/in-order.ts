import type { NextFunction, RequestHandler } from 'express';

/**
 * One handler that calls others one after the other, until one keeps the request or fails. Between two handlers of its own
 * Express compares paths and notes what it changed, which for those of every request takes longer than what they do.
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
