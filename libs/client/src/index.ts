/** The typed client of the API. */
export {
  TranslationClient,
  type CallOptions,
  type Change,
  type ClientOptions,
  type Platform,
  type StoredEntityType,
  type TransformRequest,
} from './client';
export {
  ApiError,
  ClientError,
  ConnectionFailed,
  RequestAborted,
  UnexpectedAnswer,
  type ErrorType,
} from './errors';
export type { RetryPolicy } from './retry';
export type { components, operations, paths } from './schema';
