/** The typed client of the API. */
export { TranslationClient } from './client';
export {
  ApiError,
  ClientError,
  ConnectionFailed,
  RequestAborted,
  UnexpectedAnswer,
  type ErrorType,
  type FieldConflict,
} from './errors';
export type {
  AnswerFacts,
  CallOptions,
  ChangeOptions,
  ClientOptions,
  EffectOptions,
  ObjectOptions,
} from './options';
export type { Page } from './pages';
export type { RetryPolicy } from './retry';
export type { components, operations, paths } from './schema';
export type {
  Change,
  Decision,
  HistoryEntry,
  MatchingDecision,
  ObjectDetail,
  ObjectRecord,
  Platform,
  ReconciliationCase,
  Statement,
  StoredEntityType,
  TransformRequest,
  Note,
  Review,
  Reviews,
  Withdrawal,
} from './types';
