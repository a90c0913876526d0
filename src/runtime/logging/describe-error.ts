import { types } from 'node:util';

/** The form of an error in the log. */
export interface ErrorDescription {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorDescription;
  /** The errors that an AggregateError stands for, {@link MOST_ERRORS} at most. */
  readonly errors?: readonly ErrorDescription[];
}

const deepestCause = 5;

/** The most errors of an AggregateError that are shown: those of a host's addresses, or of a batch, are mostly alike. */
export const MOST_ERRORS = 5;

/**
 * Describes an error by type, message, code, stack, causes and the errors that it stands for only. Database errors have
 * the statement's parameters and the refused row as properties, and customers' data must not appear in a log.
 */
export function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!types.isNativeError(error))
    return { type: typeof error, message: 'a value that is no Error was thrown' };
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    type: error.constructor.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    ...(error.stack !== undefined && { stack: error.stack }),
    ...(error.cause !== undefined &&
      depth < deepestCause && { cause: describeError(error.cause, depth + 1) }),
    ...(error instanceof AggregateError &&
      depth < deepestCause && {
        errors: error.errors.slice(0, MOST_ERRORS).map((one: unknown) => describeError(one, depth + 1)),
      }),
  };
}
