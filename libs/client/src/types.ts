import type { components, operations } from './schema';

type Schemas = components['schemas'];

/** The body of an operation's answer. */
export type OperationResponse<Operation extends keyof operations> =
  operations[Operation]['responses'] extends {
    200: { content: { 'application/json': infer Body } };
  }
    ? Body
    : never;

/** The `data` of an operation's answer. */
export type Data<Operation extends keyof operations> =
  OperationResponse<Operation> extends { data: infer Inner } ? Inner : never;

/** The parameters of an operation's query. */
export type Query<Operation extends keyof operations> = NonNullable<
  operations[Operation]['parameters']['query']
>;

export type Platform = Schemas['ConnectDto']['platform'];
export type StoredEntityType = Query<'listObjects'>['entity_type'];
/** A change in canonical form. Its type says which fields it may have. */
export type CanonicalChange = Schemas['CanonicalChange'];
/** The same where only the running program knows the type or the fields. The service checks them. */
export type UntypedChange = Omit<Schemas['PaymentChange'], 'entity_type' | 'data'> & {
  readonly entity_type: StoredEntityType;
  readonly data: Readonly<Record<string, unknown>>;
};
export type Change = CanonicalChange | UntypedChange | Schemas['PlatformChange'];
/** A request of one's own to a live platform. */
export type PlatformRequest = Schemas['PlatformRequestDto'];
/** A write that was sent so. */
export type SentRequest = Schemas['PlatformRequestRecord'];
export type TransformRequest = Schemas['TransformDto'];
export type ObjectRecord = Schemas['ObjectRecord'];
/** An object with its records, as a listing without a platform has it. */
export type FoundObject = Schemas['FoundObject'];
/** A query for a platform's records. */
export type RecordsQuery = Query<'listObjects'> & { readonly platform: Platform };
/** A query for a platform's records as a file. */
export type RecordsFileQuery = Pick<RecordsQuery, 'platform' | 'entity_type' | 'as_of' | 'head'>;
/** A query for objects: `q` or `canonical_id`, and no platform. */
export type SearchQuery = Omit<Query<'listObjects'>, 'platform'>;
export type ObjectDetail = Schemas['ObjectDetailResponse'];
export type HistoryEntry = Schemas['HistoryEntry'];
export type Statement = Schemas['StatementResponse'];
/** A case: one of a type for each kind, told apart by `kind`. */
export type ReconciliationCase = Schemas['ReconciliationCase'];
/** The same with what helps to decide it, as a single case has it. */
export type ReconciliationCaseDetail = Schemas['ReconciliationCaseDetail'];
export type Decision = Schemas['DecisionDto'];
export type Withdrawal = Schemas['WithdrawalDto'];
export type ListedPropagation = Schemas['ListedPropagation'];
export type PropagationDecision = Schemas['PropagationDecisionDto'];
export type Review = Schemas['ReviewDto'];
export type Reviews = Schemas['ReviewsDto'];
export type Note = Schemas['NoteDto'];
export type NewSignoff = Schemas['SignoffDto'];
export type Signoff = Schemas['Signoff'];
export type SignoffWithdrawal = Schemas['SignoffWithdrawalDto'];
/** A page of the feed of events. */
export type EventPage = OperationResponse<'listEvents'>;
export type FeedEvent = Data<'listEvents'>[number];
export type WebhookEndpoint = Data<'listWebhookEndpoints'>[number];
export type WebhookDelivery = Data<'listWebhookDeliveries'>[number];
export type NewWebhookEndpoint = Schemas['EndpointDto'];
export type WebhookEndpointChange = Schemas['EndpointChangeDto'];
export type WebhookResend = Schemas['ResendDto'];
export type MatchingDecision = Schemas['MatchingDecision'];
/** A canonical type, as the customer may read and write it. */
export type TypeSchema = Schemas['TypeSchema'];
export type EntityType = TypeSchema['entity_type'];
export type TermReason = Schemas['TermReasonDto'];
export type NewRate = Schemas['RateDto'];
export type NewPrecedence = Schemas['PrecedenceDto'];
/** The definition of a field of one's own. */
export type NewField = Schemas['FieldDto'];
export type OwnField = Schemas['OwnField'];
export type NewLevel = Schemas['RuleDto'];
export type Rule = Schemas['Rule']['rule'];
