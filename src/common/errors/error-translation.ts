import { HttpException } from '@nestjs/common';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import { DatabaseUnavailable } from '../../database/connection/database-errors';
import { Overloaded } from '../../runtime/fairness/overloaded';
import { ApiError, ERROR_STATUS, invalidInput, invalidKey, type ErrorType } from './api-error';

/** The message for an internal error. The log has the error under the request ID. */
const INTERNAL_MESSAGE = 'Something went wrong on our side; the request ID helps us to find out what';

/** One second: about the time after which a restarted database responds, or an overloaded service has room again. */
const COME_BACK = { 'Retry-After': '1' };

/**
 * Converts any error to an ApiError. Errors of the framework get this service's messages, because the framework's are
 * written for developers. Any other error becomes a 500 that reveals nothing.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof CustomerDeleted) return invalidKey({ cause: error });
  if (error instanceof Overloaded) {
    return new ApiError('EXTERNAL_SERVICE_ERROR', 'The service is overloaded; try again in a moment', {
      cause: error,
      headers: COME_BACK,
    });
  }
  if (error instanceof DatabaseUnavailable) {
    return new ApiError('EXTERNAL_SERVICE_ERROR', 'The database cannot be reached; try again later', {
      cause: error,
      headers: COME_BACK,
    });
  }
  if (error instanceof HttpException && error.getStatus() < 500) return fromHttpException(error);
  return new ApiError('INTERNAL_ERROR', INTERNAL_MESSAGE, { cause: error });
}

const messages: Partial<Record<ErrorType, string>> = {
  VALIDATION_ERROR: 'Invalid input',
  AUTHORIZATION_ERROR: 'This key may not do that',
  NOT_FOUND: 'There is no such route',
};

function fromHttpException(error: HttpException): ApiError {
  const status = error.getStatus();
  const type = typeOfStatus(status);
  // The router's error for a malformed path differs from its other errors only in its message.
  if (error.message.startsWith('Failed to decode param')) {
    return invalidInput(['the path is not UTF-8 in percent-encoding'], { cause: error });
  }
  return new ApiError(type, messages[type] ?? error.message, { status, cause: error });
}

function typeOfStatus(status: number): ErrorType {
  for (const [type, own] of Object.entries(ERROR_STATUS)) {
    if (own === status) return type as ErrorType; // The type of Object.entries loses the names of the keys.
  }
  return 'VALIDATION_ERROR';
}
