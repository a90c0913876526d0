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
