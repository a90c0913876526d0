import type { ErrorType } from './api-error';

/** The JSON document every error answer consists of. */
export interface ErrorBody {
  readonly error: { readonly type: ErrorType; readonly message: string; readonly request_id: string };
}

export function errorBody(type: ErrorType, message: string, requestId: string): ErrorBody {
  return { error: { type, message, request_id: requestId } };
}
