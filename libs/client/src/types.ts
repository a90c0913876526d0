import type { components, operations } from './schema';

type Schemas = components['schemas'];

/** The body of an operation's answer. */
export type Answer<Operation extends keyof operations> = operations[Operation]['responses'] extends {
  200: { content: { 'application/json': infer Body } };
}
  ? Body
  : never;

/** The `data` of an operation's answer. */
export type Data<Operation extends keyof operations> =
  Answer<Operation> extends { data: infer Inner } ? Inner : never;

/** The parameters of an operation's query. */
export type Query<Operation extends keyof operations> = NonNullable<
  operations[Operation]['parameters']['query']
>;

export type Platform = Schemas['ConnectDto']['platform'];
export type StoredEntityType = Query<'listObjects'>['entity_type'];
export type Change = Schemas['CanonicalChange'] | Schemas['PlatformChange'];
export type TransformRequest = Schemas['TransformDto'];
export type ObjectRecord = Schemas['ObjectRecord'];
export type ObjectDetail = Schemas['ObjectDetailAnswer'];
export type HistoryEntry = Schemas['HistoryEntry'];
export type Statement = Schemas['StatementResponse'];
export type ReconciliationCase = Schemas['ReconciliationCase'];
export type Decision = Schemas['DecisionDto'];
export type Withdrawal = Schemas['WithdrawalDto'];
export type Review = Schemas['ReviewDto'];
export type Reviews = Schemas['ReviewsDto'];
export type Note = Schemas['NoteDto'];
export type MatchingDecision = Schemas['MatchingDecision'];
