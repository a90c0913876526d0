/** The types of errors that clients can receive, and their status. `docs/errors.md` describes when they occur. */
export const ERROR_STATUS = {
  VALIDATION_ERROR: 400,
  AUTHENTICATION_ERROR: 401,
  AUTHORIZATION_ERROR: 403,
  NOT_FOUND: 404,
  CONFLICT_ERROR: 409,
  UNSUPPORTED_MEDIA_TYPE: 415,
  TRANSFORM_ERROR: 422,
  RATE_LIMIT_ERROR: 429,
  INTERNAL_ERROR: 500,
  EXTERNAL_SERVICE_ERROR: 502,
} as const;

/** See {@link ERROR_STATUS}. */
export type ErrorType = keyof typeof ERROR_STATUS;

/** Whether a text names a type of error. */
export function isErrorType(text: string | undefined): text is ErrorType {
  return text !== undefined && Object.hasOwn(ERROR_STATUS, text);
}

/** The optional parts of an {@link ApiError}. */
export interface ApiErrorOptions {
  /** The underlying cause, for the log only. */
  readonly cause?: unknown;
  /** A status other than the type's own: a body that is too large is a VALIDATION_ERROR with 413. */
  readonly status?: number;
  /** The error as data, in addition to the message. Sent to the client. */
  readonly details?: object;
  /** Headers of the response besides the usual ones, such as Retry-After. */
  readonly headers?: Record<string, string>;
}

/**
 * A refusal or failure in the form that the client receives. Any reader may see the message, so secrets belong in
 * `cause`.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly details: object | undefined;

  constructor(
    readonly type: ErrorType,
    message: string,
    options: ApiErrorOptions = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'ApiError';
    this.status = options.status ?? ERROR_STATUS[type];
    this.headers = options.headers ?? {};
    this.details = options.details;
  }
}

/** A response with 400: one message that names every invalid field. */
export function invalidInput(problems: readonly string[], options?: ApiErrorOptions): ApiError {
  return new ApiError('VALIDATION_ERROR', `Invalid input: ${problems.join('; ')}`, options);
}

/**
 * The only response to a missing, malformed, unknown, revoked or expired key, and to a key whose customer was deleted.
 */
export function invalidKey(options?: Pick<ApiErrorOptions, 'cause'>): ApiError {
  return new ApiError('AUTHENTICATION_ERROR', 'Invalid or missing API key', {
    ...options,
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}
