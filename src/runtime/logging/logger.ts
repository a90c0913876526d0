import pino, { type DestinationStream, type Logger } from 'pino';
import { bufferedOutput } from './buffered-output';
import { describeError } from './describe-error';

export type { Logger };

/** Token of the service's logger. */
export const LOGGER: unique symbol = Symbol('LOGGER');

/**
 * The structured log: one JSON object per line. Code that logs for a request passes the request's ID and its place in a
 * trace with `loggedRequest`.
 *
 * @param destination receives the lines; the process's standard output by default
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const logger: Logger = pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    destination ??
      bufferedOutput(1, (lines) => logger.warn({ lines }, 'Lines were lost: the log was not read')),
  );
  return logger;
}

/** Resolves when all logged lines are written. */
export function flushed(logger: Logger): Promise<void> {
  return new Promise((resolve) => logger.flush(() => resolve()));
}
