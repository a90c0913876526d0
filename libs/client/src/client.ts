import { Calls, type Operation } from './calls';
import { fileText, jsonText } from './file-text';
import type {
  CallOptions,
  ChangeOptions,
  ClientOptions,
  EffectOptions,
  ObjectOptions,
  ReviewOptions,
} from './options';
import { itemsOf, type CountedPage, type Page } from './pages';
import { randomUuid } from './random-names';
import type {
  OperationResponse,
  Change,
  Data,
  Decision,
  EventPage,
  FeedEvent,
  EntityType,
  HistoryEntry,
  ListedPropagation,
  MatchingDecision,
  NewField,
  NewLevel,
  NewPrecedence,
  NewRate,
  NewWebhookEndpoint,
  WebhookDelivery,
  WebhookEndpointChange,
  WebhookResend,
  ObjectDetail,
  FoundObject,
  ObjectRecord,
  OwnField,
  RecordsFileQuery,
  RecordsQuery,
  SearchQuery,
  Platform,
  PlatformRequest,
  SentRequest,
  Query,
  ReconciliationCase,
  Rule,
  StoredEntityType,
  TermReason,
  TransformRequest,
  TypeSchema,
  NewSignoff,
  Note,
  PropagationDecision,
  Review,
  Reviews,
  Signoff,
  SignoffWithdrawal,
  Withdrawal,
} from './types';

const reading = { repeatable: true } as const;

/** Reads what has sums: statements, the cases behind them, and sign-offs. */
const readingSums = { ...reading, hasSums: true } as const;

/** Setting the same value twice has the effect of setting it once. */
const setting = { repeatable: true } as const;

/** A second removal would be refused, because the first has had its effect. */
const removing = { repeatable: false, answers: [204] } as const;

/** The same for other calls, which might also have a second effect. */
const unrepeated = { repeatable: false } as const;

/** Records of a page, unless a caller of {@link TranslationClient.allObjects} says otherwise. */
const USUAL_PAGE = 200;

/** The API, typed by its description. Every call resolves to its data, or throws a ClientError with a request ID. */
export class TranslationClient {
  private readonly calls: Calls;

  constructor(private readonly options: ClientOptions) {
    this.calls = new Calls(options);
  }

  /** The same client with another key. */
  withKey(apiKey: string): TranslationClient {
    return new TranslationClient({ ...this.options, apiKey });
  }

  /** Whether the service can do its work. A degraded service is an answer, not an error. */
  async health(call: CallOptions = {}): Promise<Data<'getHealth'>> {
    const operation = { repeatable: true, answers: [503] };
    const { data } = await this.calls.make({ retry: false, ...call }, operation, (api) =>
      api.GET('/api/v1/health'),
    );
    return data;
  }

  /** Opens a demo session. Only this answer shows its key. */
  async openDemoSession(call: CallOptions = {}): Promise<Data<'openDemoSession'>> {
    const { data } = await this.calls.make(call, unrepeated, (api) =>
      api.POST('/api/v1/demo/session', { body: {} }),
    );
    return data;
  }

  /** Deletes the demo session of the key, with all of its data. */
  async closeDemoSession(call: CallOptions = {}): Promise<void> {
    await this.calls.make<unknown>(call, removing, (api) => api.DELETE('/api/v1/demo/session', { body: {} }));
  }

  /** The customer of the key, its permissions, and the limits in force. */
  async me(call: CallOptions = {}): Promise<Data<'getMe'>> {
    const { data } = await this.calls.make(call, reading, (api) => api.GET('/api/v1/me'));
    return data;
  }

  /** Connects a platform, or synchronises it. */
  async connect(platform: Platform, call: EffectOptions = {}): Promise<Data<'connectPlatform'>> {
    const headers = { 'Idempotency-Key': call.idempotencyKey };
    const { data } = await this.calls.make(call, { repeatable: true, headers }, (api) =>
      api.POST('/api/v1/connect', { body: { platform } }),
    );
    return data;
  }

  /** The connected platforms. */
  async listConnections(call: CallOptions = {}): Promise<Data<'listConnections'>['connections']> {
    const { data } = await this.calls.make(call, reading, (api) => api.GET('/api/v1/connections'));
    return data.connections;
  }

  /**
   * Sends a request of the caller's own to a live platform. The result has the platform's status, whatever it is. Every
   * method except `GET` needs an `idempotencyKey`.
   */
  async request(
    platform: Platform,
    request: PlatformRequest,
    call: EffectOptions = {},
  ): Promise<Data<'requestPlatform'>> {
    const { data } = await this.calls.make(call, this.effectOf(call, request.method === 'GET'), (api) =>
      api.POST('/api/v1/platforms/{platform}/request', { params: { path: { platform } }, body: request }),
    );
    return data;
  }

  /** A page of the writes that were sent to a platform so, the latest first. */
  requests(
    platform: Platform,
    query: Query<'listPlatformRequests'> = {},
    call: CallOptions = {},
  ): Promise<Page<SentRequest>> {
    return this.calls.make(call, reading, (api) =>
      api.GET('/api/v1/platforms/{platform}/requests', { params: { path: { platform }, query } }),
    );
  }

  /** All of them, read page by page. */
  allRequests(
    platform: Platform,
    query: Query<'listPlatformRequests'> = {},
    call: CallOptions = {},
  ): AsyncGenerator<SentRequest> {
    return itemsOf((from) => this.requests(platform, { limit: USUAL_PAGE, ...query, ...from }, call));
  }

  /** All records of one type on one platform, in one answer. */
  async listObjects(
    platform: Platform,
    entityType: StoredEntityType,
    call: CallOptions = {},
  ): Promise<ObjectRecord[]> {
    return [...(await this.objects({ platform, entity_type: entityType }, call)).data];
  }

  /** A page of a platform's records; without `limit`, `cursor` and `count` all that the query chooses. */
  async objects(query: RecordsQuery, call: CallOptions = {}): Promise<CountedPage<ObjectRecord>> {
    const { data, ...page } = await this.listed(query, call);
    return { data: data.filter((element) => 'id' in element), ...page };
  }

  /** All records that a query chooses, read page by page. */
  allObjects(query: RecordsQuery, call: CallOptions = {}): AsyncGenerator<ObjectRecord> {
    return itemsOf((from) => this.objects({ limit: USUAL_PAGE, ...query, ...from }, call));
  }

  /**
   * A page of objects with their records on all platforms, selected by `q` or `canonical_id`. Without `limit`, `cursor`
   * and `count`: all selected objects.
   */
  async findObjects(query: SearchQuery, call: CallOptions = {}): Promise<CountedPage<FoundObject>> {
    const { data, ...page } = await this.listed(query, call);
    return { data: data.filter((element) => 'records' in element), ...page };
  }

  /** All objects that a query chooses, read page by page. */
  allFoundObjects(query: SearchQuery, call: CallOptions = {}): AsyncGenerator<FoundObject> {
    return itemsOf((from) => this.findObjects({ limit: USUAL_PAGE, ...query, ...from }, call));
  }

  /** A platform's records of a type as a file, as of one moment: CSV with its byte order mark. */
  recordsCsv(query: RecordsFileQuery, call: CallOptions = {}): Promise<string> {
    return fileText(this.calls, call, (api) =>
      api.GET('/api/v1/objects', { params: { query }, parseAs: 'arrayBuffer' }),
    );
  }

  private async listed(
    query: Query<'listObjects'>,
    call: CallOptions,
  ): Promise<CountedPage<ObjectRecord | FoundObject>> {
    const answer = await this.calls.make(call, reading, (api) =>
      api.GET('/api/v1/objects', { params: { query } }),
    );
    const { data, next_cursor = null, total, total_exact } = answer;
    return { data, next_cursor, ...(total !== undefined && { total, total_exact }) };
  }

  /** One object with every platform's record, disagreements, evidence and state. An alias works too. */
  object(
    id: string,
    call: ObjectOptions & { readonly ifNoneMatch: string },
  ): Promise<ObjectDetail | undefined>;
  object(id: string, call?: ObjectOptions & { readonly ifNoneMatch?: never }): Promise<ObjectDetail>;
  async object(id: string, call: ObjectOptions = {}): Promise<ObjectDetail | undefined> {
    const { asOf, ifNoneMatch } = call;
    const headers = { 'If-None-Match': tagOf(ifNoneMatch) };
    const query = asOfQuery(asOf);
    const operation = { repeatable: true, headers, answers: ifNoneMatch === undefined ? [] : [304] };
    const answer: OperationResponse<'getObject'> | undefined = await this.calls.make(call, operation, (api) =>
      api.GET('/api/v1/objects/{canonical_id}', { params: { path: { canonical_id: id }, query } }),
    );
    return answer?.data;
  }

  /**
   * The response about one object as JSON text, in which numbers keep their spelling. JavaScript rounds large and
   * precise numbers.
   */
  objectText(id: string, call: Pick<ObjectOptions, 'asOf' | keyof CallOptions> = {}): Promise<string> {
    const params = { path: { canonical_id: id }, query: asOfQuery(call.asOf) };
    return jsonText(this.calls, call, (api) =>
      api.GET('/api/v1/objects/{canonical_id}', { params, parseAs: 'arrayBuffer' }),
    );
  }

  /** A page of the history of an object, newest first. */
  objectHistory(
    id: string,
    query: Query<'getObjectHistory'> = {},
    call: CallOptions = {},
  ): Promise<Page<HistoryEntry>> {
    return this.calls.make(call, reading, (api) =>
      api.GET('/api/v1/objects/{canonical_id}/history', { params: { path: { canonical_id: id }, query } }),
    );
  }

  /** The whole history of an object, newest first, read page by page. */
  allObjectHistory(
    id: string,
    query: Query<'getObjectHistory'> = {},
    call: CallOptions = {},
  ): AsyncGenerator<HistoryEntry> {
    return itemsOf((from) => this.objectHistory(id, { ...query, ...from }, call));
  }

  /**
   * Changes an object on every connected platform. With `dry_run` the service writes nothing, and the answer shows what it
   * would write.
   */
  async propagate(change: Change, call: ChangeOptions = {}): Promise<Data<'propagateChange'>> {
    const { data } = await this.calls.make(call, this.effectOn(call, change.dry_run), (api) =>
      api.POST('/api/v1/propagate', { body: change }),
    );
    return data;
  }

  /** The present outcomes of a change, by the `propagation_id` of its answer. */
  async propagation(id: string, call: CallOptions = {}): Promise<Data<'getPropagation'>> {
    const { data } = await this.calls.make(call, reading, (api) =>
      api.GET('/api/v1/propagations/{id}', { params: { path: { id } } }),
    );
    return data;
  }

  /** A page of changes, the latest first. */
  propagations(
    query: Query<'listPropagations'> = {},
    call: CallOptions = {},
  ): Promise<Page<ListedPropagation>> {
    return this.calls.make(call, reading, (api) => api.GET('/api/v1/propagations', { params: { query } }));
  }

  /** All changes that a query chooses, read page by page. */
  allPropagations(
    query: Query<'listPropagations'> = {},
    call: CallOptions = {},
  ): AsyncGenerator<ListedPropagation> {
    return itemsOf((from) => this.propagations({ ...query, ...from }, call));
  }

  /** Resumes or ends a write that waits or is held. */
  async decidePropagation(
    id: string,
    decision: PropagationDecision,
    call: EffectOptions = {},
  ): Promise<Data<'decidePropagation'>> {
    const { data } = await this.calls.make(call, this.effectOf(call), (api) =>
      api.POST('/api/v1/propagations/{id}/decisions', { params: { path: { id } }, body: decision }),
    );
    return data;
  }

  /** The exchange rates agreed with the customer. */
  async rates(call: CallOptions = {}): Promise<Data<'listRates'>> {
    const { data } = await this.calls.make(call, reading, (api) => api.GET('/api/v1/rates'));
    return data;
  }

  /** Sets the rate of a pair from now on. */
  async setRate(rate: NewRate, call: CallOptions = {}): Promise<Data<'setRate'>> {
    const { data } = await this.calls.make(call, setting, (api) => api.PUT('/api/v1/rates', { body: rate }));
    return data;
  }

  /** Removes the rate of a pair. */
  async removeRate(from: string, to: string, why: TermReason = {}, call: CallOptions = {}): Promise<void> {
    await this.calls.make<unknown>(call, removing, (api) =>
      api.DELETE('/api/v1/rates/{from}/{to}', { params: { path: { from, to } }, body: why }),
    );
  }

  /** The fields for which another order of platforms than the default one is agreed. */
  async precedence(call: CallOptions = {}): Promise<Data<'listPrecedence'>> {
    const { data } = await this.calls.make(call, reading, (api) => api.GET('/api/v1/precedence'));
    return data;
  }

  /** Sets the order of platforms whose value counts for a field. */
  async setPrecedence(
    entityType: StoredEntityType,
    field: string,
    precedence: NewPrecedence,
    call: CallOptions = {},
  ): Promise<Data<'setPrecedence'>> {
    const path = { entity_type: entityType, field };
    const { data } = await this.calls.make(call, setting, (api) =>
      api.PUT('/api/v1/precedence/{entity_type}/{field}', { params: { path }, body: precedence }),
    );
    return data;
  }

  /** Restores the default order for a field. */
  async clearPrecedence(
    entityType: StoredEntityType,
    field: string,
    why: TermReason = {},
    call: CallOptions = {},
  ): Promise<void> {
    const path = { entity_type: entityType, field };
    await this.calls.make<unknown>(call, removing, (api) =>
      api.DELETE('/api/v1/precedence/{entity_type}/{field}', { params: { path }, body: why }),
    );
  }

  /** All canonical types: fields, whose value counts, and what may be written. */
  async schemas(call: CallOptions = {}): Promise<Data<'listSchemas'>> {
    const { data } = await this.calls.make(call, reading, (api) => api.GET('/api/v1/schema'));
    return data;
  }

  /** One canonical type: fields, whose value counts, and what may be written. */
  async schema(entityType: EntityType, call: CallOptions = {}): Promise<TypeSchema> {
    const path = { entity_type: entityType };
    const { data } = await this.calls.make(call, reading, (api) =>
      api.GET('/api/v1/schema/{entity_type}', { params: { path } }),
    );
    return data;
  }

  /** The fields that the customer has added to types, with how far stored records were read. */
  async fields(call: CallOptions = {}): Promise<Data<'listFields'>> {
    const { data } = await this.calls.make(call, reading, (api) => api.GET('/api/v1/fields'));
    return data;
  }

  /** Adds a field to a type, or defines it anew. */
  async defineField(
    entityType: EntityType,
    name: string,
    field: NewField,
    call: CallOptions = {},
  ): Promise<OwnField> {
    const path = { entity_type: entityType, name };
    const { data } = await this.calls.make(call, setting, (api) =>
      api.PUT('/api/v1/fields/{entity_type}/{name}', { params: { path }, body: field }),
    );
    return data;
  }

  /** Removes a field. */
  async removeField(
    entityType: EntityType,
    name: string,
    why: TermReason = {},
    call: CallOptions = {},
  ): Promise<OwnField> {
    const path = { entity_type: entityType, name };
    const { data } = await this.calls.make(call, unrepeated, (api) =>
      api.DELETE('/api/v1/fields/{entity_type}/{name}', { params: { path }, body: why }),
    );
    return data;
  }

  /** The rules that changes are checked against, with their levels. */
  async rules(call: CallOptions = {}): Promise<Data<'listRules'>> {
    const { data } = await this.calls.make(call, reading, (api) => api.GET('/api/v1/rules'));
    return data;
  }

  /** Sets the level of a rule. */
  async setRule(name: Rule, level: NewLevel, call: CallOptions = {}): Promise<Data<'setRule'>> {
    const { data } = await this.calls.make(call, setting, (api) =>
      api.PUT('/api/v1/rules/{name}', { params: { path: { name } }, body: level }),
    );
    return data;
  }

  /** Restores the default level of a rule. */
  async clearRule(name: Rule, why: TermReason = {}, call: CallOptions = {}): Promise<void> {
    await this.calls.make<unknown>(call, removing, (api) =>
      api.DELETE('/api/v1/rules/{name}', { params: { path: { name } }, body: why }),
    );
  }

  /** Previews a translation. With `report` in its context the answer has the outcome of each field. */
  transform(
    request: TransformRequest,
    call: CallOptions = {},
  ): Promise<OperationResponse<'transformRecord'>> {
    return this.calls.make(call, reading, (api) => api.POST('/api/v1/transform', { body: request }));
  }

  /** The statement: how the books of the platforms differ, with control totals. */
  async statement(query: Query<'getStatement'> = {}, call: CallOptions = {}): Promise<Data<'getStatement'>> {
    const { data } = await this.calls.make(call, readingSums, (api) =>
      api.GET('/api/v1/reconciliation', { params: { query } }),
    );
    return data;
  }

  /** The statement as a file: CSV with its byte order mark. */
  statementCsv(query: Query<'getStatement'> = {}, call: CallOptions = {}): Promise<string> {
    return fileText(this.calls, call, (api) =>
      api.GET('/api/v1/reconciliation', { params: { query }, parseAs: 'arrayBuffer' }),
    );
  }

  /** A page of the cases behind a statement, with counts of the whole list unless `facets` is false. */
  cases(
    query?: Query<'listCases'> & { readonly facets?: true },
    call?: CallOptions,
  ): Promise<Required<OperationResponse<'listCases'>>>;
  cases(query: Query<'listCases'>, call?: CallOptions): Promise<OperationResponse<'listCases'>>;
  cases(query: Query<'listCases'> = {}, call: CallOptions = {}): Promise<OperationResponse<'listCases'>> {
    return this.calls.make(call, readingSums, (api) =>
      api.GET('/api/v1/reconciliation/cases', { params: { query } }),
    );
  }

  /** All cases that a query chooses, read page by page. */
  allCases(query: Query<'listCases'> = {}, call: CallOptions = {}): AsyncGenerator<ReconciliationCase> {
    return itemsOf((from) => this.cases({ ...query, facets: false, ...from }, call));
  }

  /** All cases that a query chooses as a file: CSV with its byte order mark. */
  casesCsv(query: Query<'listCases'> = {}, call: CallOptions = {}): Promise<string> {
    return fileText(this.calls, call, (api) =>
      api.GET('/api/v1/reconciliation/cases', { params: { query }, parseAs: 'arrayBuffer' }),
    );
  }

  /** One case with its candidates and all compared fields. */
  async case(id: string, call: CallOptions = {}): Promise<Data<'getCase'>> {
    const { data } = await this.calls.make(call, readingSums, (api) =>
      api.GET('/api/v1/reconciliation/cases/{id}', { params: { path: { id } } }),
    );
    return data;
  }

  /** Assigns a case, accepts its difference, or takes that back. */
  async review(id: string, review: Review, call: ReviewOptions = {}): Promise<Data<'reviewCase'>> {
    const { data } = await this.calls.make(call, this.effectOn(call), (api) =>
      api.PATCH('/api/v1/reconciliation/cases/{id}', { params: { path: { id } }, body: review }),
    );
    return data;
  }

  /** Assigns or accepts several cases: all, or none; with `versions`, none that the person did not look at. */
  async reviewAll(reviews: Reviews, call: EffectOptions = {}): Promise<Data<'reviewCases'>> {
    const { data } = await this.calls.make(call, this.effectOf(call), (api) =>
      api.PATCH('/api/v1/reconciliation/cases', { body: reviews }),
    );
    return data;
  }

  /** Writes a note about a case. */
  async addNote(id: string, note: Note, call: EffectOptions = {}): Promise<Data<'addCaseNote'>> {
    const { data } = await this.calls.make(call, this.effectOf(call), (api) =>
      api.POST('/api/v1/reconciliation/cases/{id}/notes', { params: { path: { id } }, body: note }),
    );
    return data;
  }

  /** A page of people's decisions about which records are the same, the latest first. */
  decisions(query: Query<'listDecisions'> = {}, call: CallOptions = {}): Promise<Page<MatchingDecision>> {
    return this.calls.make(call, reading, (api) =>
      api.GET('/api/v1/reconciliation/decisions', { params: { query } }),
    );
  }

  /** All decisions that a query chooses, read page by page. */
  allDecisions(query: Query<'listDecisions'> = {}, call: CallOptions = {}): AsyncGenerator<MatchingDecision> {
    return itemsOf((from) => this.decisions({ ...query, ...from }, call));
  }

  /** All decisions that a query chooses as a file: CSV with its byte order mark. */
  decisionsCsv(query: Query<'listDecisions'> = {}, call: CallOptions = {}): Promise<string> {
    return fileText(this.calls, call, (api) =>
      api.GET('/api/v1/reconciliation/decisions', { params: { query }, parseAs: 'arrayBuffer' }),
    );
  }

  /** Decides that two records are the same, or are not. The decision takes effect at once and stands until it is withdrawn. */
  async decide(decision: Decision, call: EffectOptions = {}): Promise<Data<'decideMatch'>> {
    const { data } = await this.calls.make(call, this.effectOf(call, decision.dry_run), (api) =>
      api.POST('/api/v1/reconciliation/decisions', { body: decision }),
    );
    return data;
  }

  /** Withdraws a decision, with a reason. */
  async withdraw(
    id: string,
    withdrawal: Withdrawal,
    call: EffectOptions = {},
  ): Promise<Data<'withdrawDecision'>> {
    const { data } = await this.calls.make(call, this.effectOf(call, withdrawal.dry_run), (api) =>
      api.DELETE('/api/v1/reconciliation/decisions/{id}', { params: { path: { id } }, body: withdrawal }),
    );
    return data;
  }

  /** Puts a name under the figures of a statement: as the one who prepared it, or who reviewed it. */
  async sign(signoff: NewSignoff, call: EffectOptions = {}): Promise<Data<'signStatement'>> {
    const { data } = await this.calls.make(call, { ...this.effectOf(call), hasSums: true }, (api) =>
      api.POST('/api/v1/reconciliation/signoffs', { body: signoff }),
    );
    return data;
  }

  /** A page of sign-offs, the latest first, with what has become of their figures. */
  signoffs(query: Query<'listSignoffs'> = {}, call: CallOptions = {}): Promise<Page<Signoff>> {
    return this.calls.make(call, readingSums, (api) =>
      api.GET('/api/v1/reconciliation/signoffs', { params: { query } }),
    );
  }

  /** All sign-offs that a query chooses, read page by page. */
  allSignoffs(query: Query<'listSignoffs'> = {}, call: CallOptions = {}): AsyncGenerator<Signoff> {
    return itemsOf((from) => this.signoffs({ ...query, ...from }, call));
  }

  /** All sign-offs that a query chooses as a file: CSV with its byte order mark. */
  signoffsCsv(query: Query<'listSignoffs'> = {}, call: CallOptions = {}): Promise<string> {
    return fileText(this.calls, call, (api) =>
      api.GET('/api/v1/reconciliation/signoffs', { params: { query }, parseAs: 'arrayBuffer' }),
    );
  }

  /** One sign-off with its figures, and all lines that changed. */
  async signoff(id: string, call: CallOptions = {}): Promise<Data<'getSignoff'>> {
    const { data } = await this.calls.make(call, readingSums, (api) =>
      api.GET('/api/v1/reconciliation/signoffs/{id}', { params: { path: { id } } }),
    );
    return data;
  }

  /** Withdraws a sign-off, with a reason. */
  async withdrawSignoff(
    id: string,
    withdrawal: SignoffWithdrawal,
    call: EffectOptions = {},
  ): Promise<Data<'withdrawSignoff'>> {
    const { data } = await this.calls.make(call, { ...this.effectOf(call), hasSums: true }, (api) =>
      api.DELETE('/api/v1/reconciliation/signoffs/{id}', { params: { path: { id } }, body: withdrawal }),
    );
    return data;
  }

  /**
   * A page of the feed. Its cursor is never null: store it together with the results of the page, and continue with it
   * at any time. If `has_more` is false, the page ends at the present end of the feed.
   */
  eventPage(query: Query<'listEvents'> = {}, call: CallOptions = {}): Promise<EventPage> {
    return this.calls.make(call, reading, (api) => api.GET('/api/v1/events', { params: { query } }));
  }

  /** The pages of the feed up to its present end, each with the cursor behind it. */
  async *eventPages(
    query: Query<'listEvents'> = {},
    call: CallOptions = {},
  ): AsyncGenerator<EventPage, void, undefined> {
    let page: EventPage | undefined;
    do {
      page = await this.eventPage({ ...query, ...(page && { cursor: page.next_cursor }) }, call);
      yield page;
    } while (page.has_more);
  }

  /** The events of the feed up to its present end, oldest first. */
  async *events(
    query: Query<'listEvents'> = {},
    call: CallOptions = {},
  ): AsyncGenerator<FeedEvent, void, undefined> {
    for await (const { data } of this.eventPages(query, call)) yield* data;
  }

  /** The endpoints to which events are delivered, without their secrets. */
  async webhookEndpoints(call: CallOptions = {}): Promise<Data<'listWebhookEndpoints'>> {
    const { data } = await this.calls.make(call, reading, (api) => api.GET('/api/v1/webhook-endpoints'));
    return data;
  }

  /** One endpoint, without its secret. */
  async webhookEndpoint(id: string, call: CallOptions = {}): Promise<Data<'getWebhookEndpoint'>> {
    const { data } = await this.calls.make(call, reading, (api) =>
      api.GET('/api/v1/webhook-endpoints/{id}', { params: { path: { id } } }),
    );
    return data;
  }

  /** Registers an endpoint. Only this answer, and that of a rotation, has its secret. */
  async createWebhookEndpoint(
    endpoint: NewWebhookEndpoint,
    call: CallOptions = {},
  ): Promise<Data<'createWebhookEndpoint'>> {
    const { data } = await this.calls.make(call, unrepeated, (api) =>
      api.POST('/api/v1/webhook-endpoints', { body: endpoint }),
    );
    return data;
  }

  /** Changes what is given of an endpoint. */
  async changeWebhookEndpoint(
    id: string,
    change: WebhookEndpointChange,
    call: CallOptions = {},
  ): Promise<Data<'changeWebhookEndpoint'>> {
    const { data } = await this.calls.make(call, setting, (api) =>
      api.PATCH('/api/v1/webhook-endpoints/{id}', { params: { path: { id } }, body: change }),
    );
    return data;
  }

  /** Removes an endpoint. */
  async removeWebhookEndpoint(id: string, call: CallOptions = {}): Promise<void> {
    await this.calls.make<unknown>(call, removing, (api) =>
      api.DELETE('/api/v1/webhook-endpoints/{id}', { params: { path: { id } }, body: {} }),
    );
  }

  /** Gives an endpoint a new secret. The old one signs beside it for a day. */
  async rotateWebhookSecret(id: string, call: CallOptions = {}): Promise<Data<'rotateWebhookSecret'>> {
    const { data } = await this.calls.make(call, unrepeated, (api) =>
      api.POST('/api/v1/webhook-endpoints/{id}/rotate', { params: { path: { id } }, body: {} }),
    );
    return data;
  }

  /** A page of the attempts at deliveries to an endpoint, the latest first. */
  webhookDeliveries(
    id: string,
    query: Query<'listWebhookDeliveries'> = {},
    call: CallOptions = {},
  ): Promise<Page<WebhookDelivery>> {
    return this.calls.make(call, reading, (api) =>
      api.GET('/api/v1/webhook-endpoints/{id}/deliveries', { params: { path: { id }, query } }),
    );
  }

  /** All attempts that are kept, read page by page. */
  allWebhookDeliveries(
    id: string,
    query: Query<'listWebhookDeliveries'> = {},
    call: CallOptions = {},
  ): AsyncGenerator<WebhookDelivery> {
    return itemsOf((from) => this.webhookDeliveries(id, { ...query, ...from }, call));
  }

  /** Sends one event again, or all since a time. */
  async resendWebhookEvents(
    id: string,
    what: WebhookResend,
    call: CallOptions = {},
  ): Promise<Data<'resendWebhookEvents'>> {
    const { data } = await this.calls.make(call, unrepeated, (api) =>
      api.POST('/api/v1/webhook-endpoints/{id}/resend', { params: { path: { id } }, body: what }),
    );
    return data;
  }

  /**
   * The header with the idempotency key of a call with an effect, and whether the client may repeat the call: it may if
   * the call has a key, or has no effect, as a dry run.
   */
  private effectOf(
    { idempotencyKey }: EffectOptions,
    hasNone = false,
  ): Pick<Operation, 'repeatable'> & Required<Pick<Operation, 'headers'>> {
    const generated = this.options.generateIdempotencyKeys === true && !hasNone ? randomUuid() : undefined;
    const key = idempotencyKey ?? generated;
    return { repeatable: hasNone || key !== undefined, headers: { 'Idempotency-Key': key } };
  }

  /** The same of a request that holds for one version. */
  private effectOn(call: EffectOptions & { readonly ifMatch?: string }, hasNone = false): Operation {
    const { repeatable, headers } = this.effectOf(call, hasNone);
    return { repeatable, headers: { ...headers, 'If-Match': tagOf(call.ifMatch) } };
  }
}

function asOfQuery(asOf: Date | string | undefined): Query<'getObject'> {
  return asOf === undefined ? {} : { as_of: typeof asOf === 'string' ? asOf : asOf.toISOString() };
}

/** A version, or a whole tag, as an entity tag (RFC 9110 §8.8.3). */
function tagOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `"${text}"`;
}
