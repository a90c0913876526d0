import type { ErrorType } from './api-error';

/** The JSON document every error answer consists of. */
export interface ErrorBody {
  readonly error: {
    readonly type: ErrorType;
    readonly message: string;
    readonly request_id: string;
    readonly details?: object;
  };
}

/** @param details what went wrong as data, where there is any */
export function errorBody(type: ErrorType, message: string, requestId: string, details?: object): ErrorBody {
  return { error: { type, message, request_id: requestId, ...(details && { details }) } };
}
