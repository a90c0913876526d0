import type { ErrorType } from './api-error';

/** The JSON document of every error response. */
export interface ErrorBody {
  readonly error: {
    readonly type: ErrorType;
    readonly message: string;
    readonly request_id: string;
    readonly details?: object;
  };
}

/** @param details the error as data, if available */
export function errorBody(type: ErrorType, message: string, requestId: string, details?: object): ErrorBody {
  return { error: { type, message, request_id: requestId, ...(details && { details }) } };
}
