import type { components, operations } from '@app/client';
import type { Case } from './cases';

type Schemas = components['schemas'];
export type Decision = Schemas['DecisionDto'];
export type Decided = Schemas['DecisionResult'];
export type ListedDecision = Schemas['MatchingDecision'];

/** Names a record. */
export type RecordName = Case['records'][number];

/** What chooses decisions, by the names of the API. */
export type DecisionsQuery = Pick<
  NonNullable<operations['listDecisions']['parameters']['query']>,
  'status' | 'decision' | 'entity_type'
>;

/** What a decision about links changes, by the first part of the names of what was read. */
export const changedByDecision = [
  'cases',
  'case',
  'statement',
  'signoffs',
  'object',
  'objects',
  'history',
  'decisions',
] as const;
