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
export type { CountedPage, Page } from './pages';
export type { RetryPolicy } from './retry';
export type { components, operations, paths } from './schema';
export type {
  Change,
  Decision,
  EntityType,
  HistoryEntry,
  ListedPropagation,
  MatchingDecision,
  NewField,
  NewLevel,
  NewPrecedence,
  NewRate,
  ObjectDetail,
  FoundObject,
  ObjectRecord,
  OwnField,
  RecordsFileQuery,
  RecordsQuery,
  SearchQuery,
  Platform,
  PropagationDecision,
  ReconciliationCase,
  Rule,
  Statement,
  StoredEntityType,
  TermReason,
  TransformRequest,
  EventPage,
  FeedEvent,
  TypeSchema,
  NewSignoff,
  Note,
  Review,
  Reviews,
  Signoff,
  SignoffWithdrawal,
  Withdrawal,
} from './types';
