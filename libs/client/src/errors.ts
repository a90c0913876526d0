import type { components } from './schema';

/** A field of a refused `ifMatch`: its value in that version, its present value, and the value of the change. */
export type FieldConflict = components['schemas']['FieldConflictResponse'];

/** Every type of error the service answers with. */
export type ErrorType = components['schemas']['ErrorDetail']['type'];

/** The base of all errors of a call. Quote its request ID in a report; the service's log has the same ID. */
export abstract class ClientError extends Error {
  /** The ID under which the service knows the request, if it arrived. */
  readonly requestId: string;

  constructor(message: string, requestId: string, options?: { readonly cause?: unknown }) {
    super(`${message} (${requestId})`, options);
    this.name = new.target.name;
    this.requestId = requestId;
  }
}

/** The service refused or failed. `type` names what happened and never changes its meaning. */
export class ApiError<Type extends ErrorType = ErrorType> extends ClientError {
  /**
   * For a refused `ifMatch`: the fields that have changed since that version, and those that the change names. Empty
   * for other errors.
   */
  readonly conflicts: readonly FieldConflict[];
  /** Of a review of cases by their versions: the IDs of those that have another one by now. Empty for other errors. */
  readonly cases: readonly string[];
  /** Whether this is the stored answer of an earlier request with the same idempotency key. */
  readonly replayed: boolean;

  constructor(
    readonly type: Type,
    readonly status: number,
    /** The service's own words, for people. */
    readonly detail: string,
    requestId: string,
    /** Milliseconds after which the service says the request can succeed; undefined if it does not say. */
    readonly retryAfter: number | undefined,
    {
      conflicts = [],
      cases = [],
      replayed = false,
    }: {
      readonly conflicts?: readonly FieldConflict[];
      readonly cases?: readonly string[];
      readonly replayed?: boolean;
    } = {},
  ) {
    super(`${type}: ${detail}`, requestId);
    this.conflicts = conflicts;
    this.cases = cases;
    this.replayed = replayed;
  }

  /** Narrows the type: `if (error.is('NOT_FOUND')) …`. */
  is<Wanted extends ErrorType>(type: Wanted): this is ApiError<Wanted> {
    const own: ErrorType = this.type;
    return own === type;
  }
}

/** There was no answer in time, or the caller's own signal ended the call. */
export class RequestAborted extends ClientError {
  constructor(
    /** Whether the time limit ended the call, rather than the caller. */
    readonly timedOut: boolean,
    requestId: string,
    cause: unknown,
  ) {
    super(timedOut ? 'There was no answer in time' : 'The request was aborted', requestId, { cause });
  }
}

/** The service could not be reached, or the connection broke. */
export class ConnectionFailed extends ClientError {
  constructor(requestId: string, cause: unknown) {
    super('The service could not be reached', requestId, { cause });
  }
}

/** The answer does not come from the service; it is a proxy's page, for example. */
export class UnexpectedResponse extends ClientError {
  constructor(
    readonly status: number,
    requestId: string,
    cause?: unknown,
  ) {
    super(`An answer of status ${status} is not in the form of the API`, requestId, { cause });
  }
}
