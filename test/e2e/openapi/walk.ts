import crypto from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { CustomersService } from '../../../src/auth/customers/customers.service';
import { ConnectionsService } from '../../../src/connections/connections.service';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { deleteOldEvents } from '../../../src/records/events/events.repository';
import { MasterKeys } from '../../../src/platforms/credentials/master-keys';
import { noteRemoved } from '../../../src/records/history/history-horizon.repository';
import { StorageUsageRepository } from '../../../src/records/storage-quota/storage-usage.repository';
import { CustomerTermsRepository } from '../../../src/terms/agreements/customer-terms.repository';
import { ExchangeRatesRepository } from '../../../src/terms/rates/exchange-rates.repository';
import { SyncTimes } from '../../../src/sync/schedule/sync-times';
import { api, type ApiResponse } from '../../support/app/api';
import { HostResolver } from '../../../src/webhook-endpoints/address/endpoint-addresses';
import { insertAttempts } from '../../../src/webhook-endpoints/deliveries.repository';
import { startApp, type RunningApp } from '../../support/app/app';
import { masterKey } from '../credentials/master-keys';
import { migratedDatabase } from '../../support/database/database';
import { startDatabaseProxy } from '../../support/database/database-proxy';
import { rawHttp } from '../../support/http/raw-http';
import { walkPassthrough } from './walk-passthrough';

/** One exchange with a running service, for the examples of the API description. */
export interface Exchange {
  /** The operation it shows, or `errors` for what any operation can answer. */
  readonly operationId: string;
  readonly name: string;
  readonly summary: string;
  readonly request?: unknown;
  readonly status: number;
  readonly answer?: unknown;
}

/** Calls every operation in all the ways that are worth showing. */
export async function walk(): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = [];
  const note = (
    operationId: string,
    name: string,
    summary: string,
    { status, body }: Pick<ApiResponse, 'status' | 'body'>,
    request?: unknown,
  ): void => {
    exchanges.push({ operationId, name, summary, request, status, answer: body });
  };
  const database = await migratedDatabase();
  const proxy = await startDatabaseProxy(database.url);
  const app = await startApp({ databaseUrl: proxy.url, credentialsKeys: [masterKey('walk')] });
  try {
    await walkDemo(app, note);
    await walkErrors(app, note);
    await heldWrite(app, database.url, note);
    await walkPassthrough(note);
    const refused = await underWay(app, database.url);
    note('errors', 'under_way', 'Other work does not end in time', refused.change);
    const withdrawal = refused.withdrawal;
    note('withdrawDecision', 'under_way', 'Other work does not end in time', withdrawal, withdrawalBody);
    await proxy.stop();
    const { get } = api(app.url, 'sk_test_0000000000000000000000000000000000000000000');
    note('errors', 'database_unavailable', 'The database cannot be reached', await get('/connections'));
    note('getHealth', 'degraded', 'The database does not answer', await get('/health'));
  } finally {
    await app.close();
    await proxy.stop();
    await database.drop();
  }
  return exchanges;
}

/** The customer of the examples. Canonical IDs, and with them the order of cases, follow from it. */
const CUSTOMER_ID = '3d507d83-9b57-4412-90ca-b0636f2bbb38';

/** Has the customer that is made meanwhile get an ID. Every request draws others from the same function. */
async function asCustomer<T>(
  { app }: RunningApp,
  id: typeof CUSTOMER_ID,
  work: () => Promise<T>,
): Promise<T> {
  const customers = app.get(CustomersService, { strict: false });
  const insert = customers.insert.bind(customers);
  const inserting = jest.spyOn(customers, 'insert').mockImplementationOnce((...given) => {
    const drawing = jest.spyOn(crypto, 'randomUUID').mockReturnValueOnce(id);
    const inserted = insert(...given); // It draws the ID before it waits for anything.
    drawing.mockRestore();
    return inserted;
  });
  const done = await work();
  inserting.mockRestore();
  return done;
}

export type Note = (
  operationId: string,
  name: string,
  summary: string,
  answer: Pick<ApiResponse, 'status' | 'body'>,
  request?: unknown,
) => void;

async function walkDemo(app: RunningApp, note: Note): Promise<void> {
  const open = api(app.url);
  note('getHealth', 'ok', 'All is well', await open.get('/health'));
  const opened = await asCustomer(app, CUSTOMER_ID, () => open.post('/demo/session'));
  note('openDemoSession', 'opened', 'A session', opened, {});
  for (let call = 0; call < 5; call += 1) {
    const more = await open.post('/demo/session');
    if (more.status === 429) note('openDemoSession', 'limited', 'The sixth within a minute', more, {});
  }
  const client = api(app.url, opened.body.data.api_key as string);
  const post = async (operationId: string, name: string, summary: string, path: string, body: object) => {
    const answer = await client.post(path, body);
    note(operationId, name, summary, answer, body);
    return answer;
  };
  const connect = (name: string, summary: string, platform: string) =>
    post('connectPlatform', name, summary, '/connect', { platform });
  await connect('platform_a', 'The project platform', 'platform_a');
  await connect('platform_b', 'The ERP', 'platform_b');
  await connect('no_such_platform', 'No such platform', 'platform_c');
  const times = app.app.get(SyncTimes, { strict: false });
  Object.assign(times, { wait: 0 });
  await connect('still_reading', 'The platform is still being read', 'platform_a');
  Object.assign(times, new SyncTimes());
  await client.post('/connect', { platform: 'platform_a' });

  const schemas = await client.get('/schema');
  note('listSchemas', 'types', 'All types; of each the first two fields are shown here', {
    status: schemas.status,
    body: { data: (schemas.body.data as { fields: object[] }[]).map(firstFields) },
  });
  note('getSchema', 'payment', 'The payment', await client.get('/schema/payment'));
  note('getSchema', 'unknown', 'No such type', await client.get('/schema/colour'));

  note('getMe', 'demo', 'A demo session with both platforms', await client.get('/me'));

  note('listConnections', 'both', 'Both platforms are connected', await client.get('/connections'));

  const payments = await client.get('/objects?platform=platform_a&entity_type=payment');
  note('listObjects', 'payments', 'Payments on platform_a', payments);
  const page = await client.get('/objects?platform=platform_a&entity_type=payment&limit=2');
  note('listObjects', 'page', 'The first page of payments', page);
  const word = encodeURIComponent(String(payments.body.data[0].data.check_number).toLowerCase());
  const found = await client.get(`/objects?entity_type=payment&q=${word}&count=true`);
  note('listObjects', 'found', 'Found on all platforms by a number', found);
  const file = await csvOf(
    app,
    opened.body.data.api_key as string,
    '/objects?platform=platform_b&entity_type=invoice',
  );
  note('listObjects', 'file', 'Invoices on platform_b as a file', file);
  note('listObjects', 'no_parameters', 'No parameters', await client.get('/objects'));

  // One that may be changed within what its invoice bills.
  const first = payments.body.data.find(({ id }: { id: string }) => id === '1823456');
  const second = payments.body.data.at(-1);
  const propagate = (name: string, summary: string, body: object) =>
    post('propagateChange', name, summary, '/propagate', body);
  const native = {
    format: 'platform',
    platform: 'platform_a',
    platform_id: first.id as string,
    entity_type: 'payment',
  };
  const canonical = {
    format: 'canonical',
    canonical_id: first.canonical_id as string,
    entity_type: 'payment',
  };
  const changed = await propagate('native', 'In a platform’s own terms', {
    ...native,
    data: { amount: '1650000.00', notes: 'Reduced after measurement' },
  });
  const propagation = async (name: string, summary: string, id: string) =>
    note('getPropagation', name, summary, await client.get(`/propagations/${id}`));
  await propagation(
    'decided',
    'A change that every platform has decided on',
    changed.body.data.propagation_id as string,
  );
  await propagation('no_such_change', 'No such change', 'e3b0c442-98fc-4c14-9afb-f4c8996fb924');
  note('listPropagations', 'all', 'Changes', await client.get('/propagations'));
  // Sandboxes write times of change in whole seconds, and the history shows whether they differ.
  await delay(1001 - (Date.now() % 1000));
  await propagate('canonical', 'In canonical terms', {
    ...canonical,
    data: { amount: { amount: 160000000, currency: 'USD' } },
  });
  await propagate('unchanged', 'Nothing to change', {
    ...canonical,
    data: { notes: 'Reduced after measurement' },
  });
  await propagate('would_create', 'What would be created, without doing it', {
    ...native,
    platform_id: '1823391',
    data: { notes: 'Now on both' },
    create_missing: true,
    dry_run: true,
  });
  await propagate('not_writable', 'A read-only field', { ...native, data: { id: 7 } });
  await propagate('no_such_record', 'No such record', {
    ...native,
    platform_id: '999',
    data: { notes: 'Never written' },
  });
  await propagate('number_taken', 'Another payment has this number', {
    ...native,
    data: { check_number: second.data.check_number as string },
  });
  await propagate('too_precise', 'More decimals than the currency has', {
    ...native,
    data: { amount: '12.345' },
  });

  await propagate('paid_above_billed', 'More than the invoice bills', {
    ...native,
    data: { amount: '2500000.00' },
  });
  const object = async (operationId: string, path: string) => {
    note(
      operationId,
      'payment',
      'A payment that was changed',
      await client.get(`/objects/${first.canonical_id as string}${path}`),
    );
    const unknown = await client.get(`/objects/pay_0000000000000000${path}`);
    note(operationId, 'no_such_object', 'No such object', unknown);
  };
  await object('getObject', '');
  await object('getObjectHistory', '/history');

  await walkReconciliation(client, note, (path) => csvOf(app, opened.body.data.api_key as string, path));

  await walkTerms(client, note);

  const transform = (name: string, summary: string, body: object) =>
    post('transformRecord', name, summary, '/transform', body);
  const contract = {
    source: 'platform_a',
    target: 'platform_b',
    entity_type: 'contract',
    data: {
      id: 1945782,
      title: 'Substructure Package',
      number: 'C-LEX-001',
      status: 'Approved',
      grand_total: '8500000.00',
      project: { id: 341276, name: 'Lusail Boulevard Tower' },
      vendor: { id: 501004, company: 'Doha Infrastructure Partners WLL' },
      description: 'Piling and raft foundation',
      contract_start_date: '2026-01-05',
      contract_estimated_completion_date: '2026-09-30',
      currency_configuration: { currency_iso_code: 'USD' },
    },
  };
  await transform('contract', 'A subcontract for the ERP', {
    ...contract,
    context: { commitmentType: 'WorkOrderContract' },
  });
  await transform('no_commitment_type', 'A contract of unknown kind', contract);
  await transform('time_entry', 'Hours worked, with few fields', {
    source: 'platform_b',
    target: 'platform_a',
    entity_type: 'time_entry',
    data: { date: '2026-02-01', quantity: 7.5 },
  });
  await transform('payment', 'A payment with its invoice’s mappings, converted', {
    source: 'platform_a',
    target: 'platform_b',
    entity_type: 'payment',
    data: { ...second.platform_data, requisition_id: second.platform_data.requisition_id as number },
    context: {
      targetCurrency: 'QAR',
      mappings: [
        {
          canonical_id: second.data.invoice_id,
          platform: 'platform_a',
          platform_id: String(second.platform_data.requisition_id),
        },
        {
          canonical_id: second.data.invoice_id,
          platform: 'platform_b',
          platform_id: 'b9d1c5a0-6a53-4f0e-9d0b-0d1f5f3c7a11',
        },
      ],
    },
  });
  await transform('reported', 'A payment with a report on each field', {
    source: 'platform_a',
    target: 'platform_b',
    entity_type: 'payment',
    data: { id: 1823456, amount: '1250.00', notes: 'Wired', status: 'paid', origin_code: 'X-7' },
    context: { report: true },
  });
  await transform('no_such_type', 'No such entity type', { ...contract, entity_type: 'drawing' });

  const issued = await app.issueKey('test');
  const customer = api(app.url, issued.key);
  note(
    'closeDemoSession',
    'no_demo_key',
    'A key of another kind',
    await customer.send('DELETE', '/demo/session', { body: {} }),
    {},
  );
  await customer.post('/connect', { platform: 'platform_a' });
  await walkWebhookEndpoints(app, { customerId: issued.customerId, client: customer, visitor: client }, note);
  await walkEvents(app, opened.body.data.customer_id as string, client, note);
  note(
    'closeDemoSession',
    'deleted',
    'The session is gone',
    await client.send('DELETE', '/demo/session', { body: {} }),
    {},
  );
  note(
    'errors',
    'deleted_session',
    'The key of a session that was deleted',
    await client.get('/connections'),
  );
}

const withdrawalBody = { reason: 'They were two orders', decided_by: 'Yousef, project controls' };

/** The statement of both sandboxes, what is behind it, and what people decide about it. */
async function walkReconciliation(
  client: ReturnType<typeof api>,
  note: Note,
  csv: (path: string) => Promise<Pick<ApiResponse, 'status' | 'body'>>,
): Promise<void> {
  const get = async (operationId: string, name: string, summary: string, path: string) => {
    const answer = await client.get(path);
    note(operationId, name, summary, answer);
    return answer;
  };
  const unknownProject = 'project_id=proj_0000000000000000';
  await get('getStatement', 'payments', 'Payments of both platforms', '/reconciliation?entity_type=payment');
  note('getStatement', 'file', 'The same as a file', await csv('/reconciliation?entity_type=payment'));
  await get('getStatement', 'no_such_project', 'No such project', `/reconciliation?${unknownProject}`);

  const cases = (query: string) => `/reconciliation/cases?${query}`;
  await get(
    'listCases',
    'disagreements',
    'Contracts whose status differs',
    cases('kind=disagreement&entity_type=contract&field=status&limit=2'),
  );
  const alone = await get(
    'listCases',
    'alone',
    'Contracts that one platform has alone, the largest first',
    cases('kind=only_on&entity_type=contract&sort=amount&limit=2'),
  );
  note('listCases', 'file', 'Cases as a file', await csv(cases('kind=disagreement&entity_type=contract')));
  await get('listCases', 'no_such_project', 'No such project', cases(unknownProject));
  const [one] = alone.body.data;
  await get(
    'getCase',
    'alone',
    'A contract that one platform has alone',
    `/reconciliation/cases/${one.id as string}`,
  );
  await get('getCase', 'settled', 'A case that is settled', '/reconciliation/cases/case_settled');
  await walkReviews(client, note, alone.body.data);

  const pair = await unlikePair(client);
  const about = (decision: string, records: readonly object[], reason: string) => ({
    decision,
    entity_type: 'contract',
    records,
    reason,
    decided_by: 'Mariam, accounts payable',
  });
  const decisions = '/reconciliation/decisions';
  const decide = async (name: string, summary: string, body: object) => {
    const answer = await client.post(decisions, body);
    note('decideMatch', name, summary, answer, body);
    return answer;
  };
  await decide('tried', 'A dry run shows the effects', {
    ...about('link', pair, 'One order, entered twice'),
    dry_run: true,
  });
  const made = await decide('link', 'Two records are one', about('link', pair, 'One order, entered twice'));
  const closed = await client.get(cases('state=closed&limit=1'));
  await walkClosedCase(client, note, closed.body.data[0].id);
  await decide('contradiction', 'A standing decision says otherwise', about('not_same', pair, 'Two orders'));
  const gone = pair.map((record) => ({ ...record, platform_id: '999' }));
  await decide('no_such_record', 'No such record', about('link', gone, 'Never decided'));
  await get('listDecisions', 'standing', 'Decisions that stand', `${decisions}?status=standing`);
  note('listDecisions', 'file', 'Decisions as a file', await csv(decisions));

  const withdraw = async (name: string, summary: string, id: string) => {
    const answer = await client.send('DELETE', `${decisions}/${id}`, { body: withdrawalBody });
    note('withdrawDecision', name, summary, answer, withdrawalBody);
  };
  await walkSignoffs(client, note, csv);

  await withdraw('no_such_decision', 'No such decision', 'e3b0c442-98fc-4c14-9afb-f4c8996fb924');
  await withdraw('withdrawn', 'The decision is withdrawn', made.body.data.id as string);
}

/** People sign the statement, and one of its figures changes. */
async function walkSignoffs(
  client: ReturnType<typeof api>,
  note: Note,
  csv: (path: string) => Promise<Pick<ApiResponse, 'status' | 'body'>>,
): Promise<void> {
  const signoffs = '/reconciliation/signoffs';
  const through = '2026-06-30';
  const { body: read } = await client.get(`/reconciliation?currency=USD&through=${through}`);
  const { as_of, digest } = read.data;
  const sign = async (name: string, summary: string, more: object): Promise<string> => {
    const body = { as_of, through, currency: 'USD', digest, ...more };
    const answer = await client.post(signoffs, body);
    note('signStatement', name, summary, answer, body);
    return answer.body.data?.id as string;
  };
  const mariam = 'Mariam, accounts payable';
  const prepared = await sign('prepared', 'A statement is prepared', { role: 'prepared', signed_by: mariam });
  await sign('same_name', 'Nobody reviews what they prepared', { role: 'reviewed', signed_by: mariam });
  await sign('no_such_project', 'No such project', {
    ...{ role: 'prepared', signed_by: mariam, project_id: 'proj_0000000000000000' },
  });
  const reviewed = await sign('reviewed', 'It is reviewed', { role: 'reviewed', signed_by: 'Omar' });
  const withdraw = async (name: string, summary: string, id: string): Promise<void> => {
    const body = { reason: 'A late invoice is to be in it', decided_by: mariam };
    const answer = await client.send('DELETE', `${signoffs}/${id}`, { body });
    note('withdrawSignoff', name, summary, answer, body);
  };
  await withdraw('reviewed', 'A review stands', prepared);
  await withdraw('withdrawn', 'The review is withdrawn', reviewed);
  await withdraw('no_such_signoff', 'No such sign-off', 'e3b0c442-98fc-4c14-9afb-f4c8996fb924');
  const { body: open } = await client.get(`/reconciliation/cases?kind=only_on&through=${through}&limit=1`);
  const accepted = { reason: 'Billed by hand until June', decided_by: mariam };
  await client.send('PATCH', `/reconciliation/cases/${open.data[0].id as string}`, { body: { accepted } });
  note('listSignoffs', 'outdated', 'One has figures that changed', await client.get(signoffs));
  note('listSignoffs', 'file', 'Sign-offs as a file', await csv(signoffs));
  note('getSignoff', 'outdated', 'With its figures', await client.get(`${signoffs}/${prepared}`));
  note('getSignoff', 'no_such_signoff', 'No such sign-off', await client.get(`${signoffs}/none`));
}

/** Two contracts that no rule links: each platform has its own alone. */
async function unlikePair(client: ReturnType<typeof api>) {
  const alone = async (platform: string) => {
    const { body } = await client.get(`/objects?platform=${platform}&entity_type=contract`);
    const [found] = body.data.filter(({ mappings }: { mappings: unknown[] }) => mappings.length === 1);
    return { platform, platform_id: found.id as string };
  };
  return [await alone('platform_a'), await alone('platform_b')];
}

/** Waits for the reading of what is stored, so that its event has the same place in each walk. */
async function fieldsAreReady(client: ReturnType<typeof api>): Promise<void> {
  for (;;) {
    const { body } = await client.get('/fields');
    if (body.data.every(({ status }: { status: string }) => status === 'ready')) return;
    await delay(50);
  }
}

/** What is agreed with the customer, and its end. */
async function walkTerms(client: ReturnType<typeof api>, note: Note): Promise<void> {
  const why = { reason: 'Agreed at the yearly review', decided_by: 'Mariam, finance' };
  const send = async (
    operationId: string,
    [name, summary]: readonly [string, string],
    method: string,
    path: string,
    body: object,
  ) => note(operationId, name, summary, await client.send(method, path, { body }), body);
  const unknown = ['unknown', 'No such name'] as const;
  const removed = ['removed', 'It no longer applies'] as const;

  const rate = { from: 'EUR', to: 'USD', rate: '1.08', ...why };
  await send('setRate', ['set', 'A rate for euros'], 'PUT', '/rates', rate);
  await send('setRate', ['no_rate', 'No rate'], 'PUT', '/rates', { ...rate, rate: '1,08' });
  note('listRates', 'rates', 'One rate', await client.get('/rates'));
  await send('removeRate', removed, 'DELETE', '/rates/EUR/USD', why);
  await send('removeRate', unknown, 'DELETE', '/rates/EUR/USD', why);

  const order = { platforms: ['platform_b'], ...why };
  await send('setPrecedence', ['set', 'Dates from the ERP'], 'PUT', '/precedence/payment/date', order);
  await send('setPrecedence', unknown, 'PUT', '/precedence/payment/colour', order);
  note('listPrecedence', 'precedence', 'One field', await client.get('/precedence'));
  await send('clearPrecedence', removed, 'DELETE', '/precedence/payment/date', why);
  await send('clearPrecedence', unknown, 'DELETE', '/precedence/payment/date', why);

  const field = {
    codec: 'text',
    label: 'Cost center',
    platforms: {
      platform_a: { path: 'custom_fields.custom_field_562949953421399', writable: true },
      platform_b: { path: 'costCenter', writable: true },
    },
    ...why,
  };
  const fieldPath = '/fields/payment/cost_center';
  await send('defineField', ['defined', 'A custom field and a column'], 'PUT', fieldPath, field);
  const taken = { ...field, platforms: { platform_a: { path: 'amount', writable: true } } };
  await send('defineField', ['taken', 'A path with a value already'], 'PUT', '/fields/payment/other', taken);
  await send('defineField', unknown, 'PUT', '/fields/colour/cost_center', field);
  await fieldsAreReady(client);
  note('listFields', 'fields', 'One field', await client.get('/fields'));
  await send('removeField', removed, 'DELETE', fieldPath, why);
  await fieldsAreReady(client);
  await send('removeField', unknown, 'DELETE', fieldPath, why);

  const level = { level: 'warn', ...why };
  await send('setRule', ['set', 'A warning is enough'], 'PUT', '/rules/paid_above_billed', level);
  await send('setRule', unknown, 'PUT', '/rules/paid_above_all', level);
  note('listRules', 'rules', 'All rules', await client.get('/rules'));
  await send('clearRule', removed, 'DELETE', '/rules/paid_above_billed', why);
  await send('clearRule', unknown, 'DELETE', '/rules/paid_above_billed', why);
}

/** A file as it is downloaded, which is text. */
async function csvOf(
  app: RunningApp,
  key: string,
  path: string,
): Promise<Pick<ApiResponse, 'status' | 'body'>> {
  const answer = await fetch(`${app.url}/api/v1${path}`, {
    headers: { Authorization: `Bearer ${key}`, Accept: 'text/csv' },
  });
  return { status: answer.status, body: await answer.text() };
}

/** A type of the list of all with its first fields, so that the example can be read. */
function firstFields<Type extends { readonly fields: readonly object[] }>(type: Type): Type {
  return { ...type, fields: type.fields.slice(0, 2) };
}

/** What any operation can answer. */
async function walkErrors(app: RunningApp, note: Note): Promise<void> {
  const { key, customerId } = await app.issueKey('test');
  const client = api(app.url, key);
  const unitOfWork = app.app.get(UnitOfWork, { strict: false });
  await unitOfWork.run((store) => noteRemoved(store.forCustomer(customerId), '2026-02-01'));
  const forgotten = '/objects?platform=platform_a&entity_type=payment&modified_after=2025-01-01';
  note('listObjects', 'forgotten', 'Before all history that is kept', await client.get(forgotten));
  note('errors', 'no_json', 'A body that is no JSON', await client.post('/transform', '{"source":'));
  note('errors', 'no_key', 'No key', await api(app.url).get('/connections'));
  const reader = await app.issueKey('test', ['read']);
  const refused = await api(app.url, reader.key).post('/connect', { platform: 'platform_a' });
  note('errors', 'no_permission', 'A key without the permission', refused);
  const long = JSON.stringify({ data: 'x'.repeat(1_100_000) });
  note('errors', 'too_large', 'A body beyond the limit', await client.post('/transform', long));
  note(
    'errors',
    'no_content_type',
    'No Content-Type',
    await client.post('/transform', {}, { 'Content-Type': 'text/plain' }),
  );
  note(
    'errors',
    'large_header',
    'A header of 20 KB',
    await raw(app, `X-Long: ${'x'.repeat(20_000)}\r\n\r\n`),
  );

  const connections = app.app.get(ConnectionsService, { strict: false });
  const list = jest
    .spyOn(connections, 'list')
    .mockRejectedValue(new Error('A fault, to see what the answer reveals'));
  note('errors', 'fault', 'A fault of the service', await client.get('/connections'));
  list.mockRestore();

  const stored = jest
    .spyOn(app.app.get(StorageUsageRepository, { strict: false }), 'count')
    .mockResolvedValue({ history: 205 * 1024 ** 2, answers: 51 * 1024 ** 2 });
  await tooManyRates(app, note);
  await tooManyFields(app, note);
  await fullStorage(api(app.url, (await app.openSession()).key), note);
  stored.mockRestore();

  Object.assign(app.app.getHttpServer(), { requestTimeout: 100, headersTimeout: 100 });
  note('errors', 'too_slow', 'A request that does not arrive', await raw(app, 'X-Slow: '));
}

/** A customer with all the rates that it may have. */
async function tooManyRates(app: RunningApp, note: Note): Promise<void> {
  const { key } = await app.issueKey('live');
  const count = jest
    .spyOn(app.app.get(ExchangeRatesRepository, { strict: false }), 'count')
    .mockResolvedValue(500);
  const rate = { from: 'EUR', to: 'USD', rate: '1.08' };
  note(
    'setRate',
    'too_many',
    'Too many rates',
    await api(app.url, key).send('PUT', '/rates', { body: rate }),
    rate,
  );
  count.mockRestore();
}

/** A customer with all the own fields that a type may have. */
async function tooManyFields(app: RunningApp, note: Note): Promise<void> {
  const { key } = await app.issueKey('live');
  const stored = Array.from({ length: 50 }, (_, number) => ({
    name: `payment.f_${number}`,
    value: { codec: 'text', platforms: {} },
    since: new Date(0),
    reason: null,
    decidedBy: null,
  }));
  const list = jest
    .spyOn(app.app.get(CustomerTermsRepository, { strict: false }), 'list')
    .mockResolvedValue(stored);
  const answer = await api(app.url, key).send('PUT', '/fields/payment/cost_center', { body: ownField });
  note('defineField', 'too_many', 'Too many own fields', answer, ownField);
  list.mockRestore();
}

/** What writes of a demo session are told when it may store no more. */
async function fullStorage(client: ReturnType<typeof api>, note: Note): Promise<void> {
  const example = ['storage_full', 'The storage of the demo session is full'] as const;
  const connect = { platform: 'platform_a' };
  note('connectPlatform', ...example, await client.post('/connect', connect), connect);
  const payment = { platform: 'platform_a', platform_id: '1823456' };
  const change = { format: 'platform', ...payment, entity_type: 'payment', data: { notes: 'Never written' } };
  note('propagateChange', ...example, await client.post('/propagate', change), change);
  const decision = {
    decision: 'link',
    entity_type: 'payment',
    records: [payment, { platform: 'platform_b', platform_id: 'a34e74db-53c7-4368-8fe7-bb87c83c7902' }],
    reason: 'Never decided',
    decided_by: 'Mariam, accounts payable',
  };
  note('decideMatch', ...example, await client.post('/reconciliation/decisions', decision), decision);
  const write = '/propagations/e3b0c442-98fc-4c14-9afb-f4c8996fb924/decisions';
  note('decidePropagation', ...example, await client.post(write, discardBody), discardBody);
  const owner = { owner: 'Omar' };
  const one = await client.send('PATCH', '/reconciliation/cases/case_none', { body: owner });
  note('reviewCase', ...example, one, owner);
  const several = { ids: ['case_none'], ...owner };
  const all = await client.send('PATCH', '/reconciliation/cases', { body: several });
  note('reviewCases', ...example, all, several);
  const text = { text: 'Never written', written_by: 'Omar' };
  const written = await client.post('/reconciliation/cases/case_none/notes', text);
  note('addCaseNote', ...example, written, text);
  const path = '/reconciliation/decisions/e3b0c442-98fc-4c14-9afb-f4c8996fb924';
  const withdrawn = await client.send('DELETE', path, { body: withdrawalBody });
  note('withdrawDecision', ...example, withdrawn, withdrawalBody);
  const signoff = {
    ...{ as_of: '2026-06-30', currency: 'USD', digest: `sha256:${'0'.repeat(64)}` },
    ...{ role: 'prepared', signed_by: 'Mariam, accounts payable' },
  };
  note('signStatement', ...example, await client.post('/reconciliation/signoffs', signoff), signoff);
  const signoffPath = '/reconciliation/signoffs/e3b0c442-98fc-4c14-9afb-f4c8996fb924';
  const ended = await client.send('DELETE', signoffPath, { body: withdrawalBody });
  note('withdrawSignoff', ...example, ended, withdrawalBody);
  for (const [operationId, method, termPath, body] of [
    ['setRate', 'PUT', '/rates', { from: 'EUR', to: 'USD', rate: '1.08' }],
    ['removeRate', 'DELETE', '/rates/EUR/USD', {}],
    ['setPrecedence', 'PUT', '/precedence/payment/date', { platforms: ['platform_b'] }],
    ['clearPrecedence', 'DELETE', '/precedence/payment/date', {}],
    ['defineField', 'PUT', '/fields/payment/cost_center', ownField],
    ['removeField', 'DELETE', '/fields/payment/cost_center', {}],
    ['setRule', 'PUT', '/rules/paid_above_billed', { level: 'warn' }],
    ['clearRule', 'DELETE', '/rules/paid_above_billed', {}],
  ] as const) {
    note(operationId, ...example, await client.send(method, termPath, { body }), body);
  }
}

/** A field of one's own. */
const ownField = { codec: 'text', platforms: { platform_b: { path: 'costCenter', writable: true } } };

const discardBody = {
  platform: 'platform_b',
  action: 'discard',
  reason: 'Entered by hand',
  decided_by: 'Mariam, accounts payable',
};

/** A write that is held, and what is decided about it. */
async function heldWrite(app: RunningApp, databaseUrl: string, note: Note): Promise<void> {
  const caller = await app.openSession();
  const client = api(app.url, caller.key);
  for (const platform of ['platform_a', 'platform_b']) await client.post('/connect', { platform });
  const changed = await client.post('/propagate', {
    format: 'platform',
    platform: 'platform_a',
    platform_id: '1823456',
    entity_type: 'payment',
    data: { notes: 'Handed over' },
  });
  const id = changed.body.data.propagation_id as string;
  const other = new Client({ connectionString: databaseUrl });
  await other.connect();
  await other.query(
    `insert into outbox_commands (customer_id, id, propagation_id, position, platform, mode, entity_type, canonical_id,
       platform_id, status, reason, changes, base, referred, predicted, recording, decided_at)
     select customer_id, gen_random_uuid(), id, 1, 'platform_b', 'sandbox', entity_type, canonical_id,
       'a34e74db-53c7-4368-8fe7-bb87c83c7902', 'held', 'no reading can tell whether it happened',
       '[{"path":["comment"],"value":"Handed over"}]', '{}', '{}', '{}',
       '{"references":{},"before":{},"currencies":{},"leading":false}', now()
     from propagations where customer_id = $1`,
    [caller.customerId],
  );
  await other.end();
  const decide = async (name: string, summary: string, of: string): Promise<void> => {
    const answer = await client.post(`/propagations/${of}/decisions`, discardBody);
    note('decidePropagation', name, summary, answer, discardBody);
  };
  await decide('discarded', 'A held write is given up', id);
  await decide('decided', 'A write that is decided', id);
  await decide('no_such_change', 'No such change', 'e3b0c442-98fc-4c14-9afb-f4c8996fb924');
}

/** What happened so far; then, as if history were kept no longer, a place of the feed behind which events are gone. */
async function walkEvents(
  app: RunningApp,
  customerId: string,
  client: ReturnType<typeof api>,
  note: Note,
): Promise<void> {
  const some = async (name: string, summary: string, query: string): Promise<ApiResponse> => {
    const answer = await client.get(`/events?limit=1&${query}`);
    note('listEvents', name, summary, answer);
    return answer;
  };
  await some('changed', 'Objects that changed', 'type=object.changed&entity_type=payment');
  await some('settled', 'Changes that all platforms have decided', 'type=propagation.settled');
  await some('case_closed', 'Cases that were closed', 'type=case.closed');
  await some('decision_made', 'Decisions of people', 'type=decision.made');
  await some('outdated', 'Sign-offs whose figures changed', 'type=statement.signoff_outdated');
  await some('run_completed', 'Runs that were published', 'type=run.completed');
  await some('field_ready', 'Own fields that are ready', 'type=field.ready');
  const { body } = await client.get('/events?limit=1');
  await app.app
    .get(UnitOfWork, { strict: false })
    .runFor(customerId, (tx) => deleteOldEvents(tx, new Date(Date.now() + 60_000), 10));
  await some('gone', 'Events after the cursor are no longer kept', `cursor=${body.next_cursor as string}`);
}

/** Endpoints for events, at a host that has no address when something is to be sent. */
async function walkWebhookEndpoints(
  app: RunningApp,
  {
    customerId,
    client,
    visitor,
  }: {
    readonly customerId: string;
    readonly client: ReturnType<typeof api>;
    /** Of a demo session. */
    readonly visitor: ReturnType<typeof api>;
  },
  note: Note,
): Promise<void> {
  const resolver = app.app.get(HostResolver, { strict: false });
  const resolve = jest.spyOn(resolver, 'resolve').mockRejectedValue(new Error('There is no network'));
  const address = (text: string): void => {
    resolve.mockResolvedValueOnce([{ address: text, family: 4 }]);
  };
  const send = async (
    id: string,
    name: string,
    summary: string,
    method: string,
    path: string,
    body: object,
  ) => {
    const answer = await client.send(method, `/webhook-endpoints${path}`, { body });
    note(id, name, summary, answer, body);
    return answer;
  };
  const endpoint = {
    url: 'https://example.com/hooks/translation',
    types: ['object.changed', 'propagation.settled'],
    description: 'Our ledger',
  };
  address('93.184.215.14');
  const made = await send('createWebhookEndpoint', 'made', 'An endpoint', 'POST', '', endpoint);
  address('10.0.0.7');
  await send('createWebhookEndpoint', 'private', 'A private network', 'POST', '', endpoint);
  address('93.184.215.14');
  const refused = await visitor.post('/webhook-endpoints', endpoint);
  note('createWebhookEndpoint', 'demo', 'An endpoint of a demo session', refused, endpoint);
  const id = made.body.data.id as string;
  const none = '3c5d2c1e-5f7f-4a5b-9a57-0d3b9c7f1e11';
  note('listWebhookEndpoints', 'one', 'One endpoint', await client.get('/webhook-endpoints'));
  note('getWebhookEndpoint', 'one', 'An endpoint', await client.get(`/webhook-endpoints/${id}`));
  note('getWebhookEndpoint', 'none', 'No such endpoint', await client.get(`/webhook-endpoints/${none}`));
  const { body: feed } = await client.get('/events?limit=1');
  const event = { event_id: feed.data[0].id as string };
  await send('resendWebhookEvents', 'event', 'One event', 'POST', `/${id}/resend`, event);
  const since = { since: '2026-01-31' };
  await send('resendWebhookEvents', 'since', 'All events since a day', 'POST', `/${id}/resend`, since);
  await send('resendWebhookEvents', 'soon', 'Again within a minute', 'POST', `/${id}/resend`, since);
  await send('resendWebhookEvents', 'both', 'Neither an event nor a time', 'POST', `/${id}/resend`, {});
  const unknown = { event_id: 'evt_0000000000000000_1' };
  await send('resendWebhookEvents', 'no_event', 'No such event', 'POST', `/${id}/resend`, unknown);
  const off = { enabled: false };
  await send('changeWebhookEndpoint', 'off', 'Nothing is delivered for now', 'PATCH', `/${id}`, off);
  await send('changeWebhookEndpoint', 'ftp', 'An address that is not https', 'PATCH', `/${id}`, {
    url: 'ftp://example.com',
  });
  address('93.184.215.14');
  const moved = { url: endpoint.url };
  const forbidden = await visitor.send('PATCH', `/webhook-endpoints/${none}`, { body: moved });
  note('changeWebhookEndpoint', 'demo', 'An endpoint of a demo session', forbidden, moved);
  await send('changeWebhookEndpoint', 'none', 'No such endpoint', 'PATCH', `/${none}`, off);
  await send('resendWebhookEvents', 'off', 'A disabled endpoint', 'POST', `/${id}/resend`, event);
  await send('rotateWebhookSecret', 'rotated', 'A new secret', 'POST', `/${id}/rotate`, {});
  await send('rotateWebhookSecret', 'none', 'No such endpoint', 'POST', `/${none}/rotate`, {});
  const tried = { sequence: 1, type: 'object.created', attempt: 1, at: new Date(), durationMs: 84 };
  await app.app.get(UnitOfWork, { strict: false }).runFor(customerId, (tx) =>
    insertAttempts(
      tx,
      id,
      [
        { ...tried, status: 503, error: null, response: 'Busy', outcome: 'failed', pause: 5_000 },
        { ...tried, attempt: 2, status: 204, error: null, response: '', outcome: 'delivered', pause: null },
      ],
      1_000,
    ),
  );
  const tries = (path: string) => client.get(`/webhook-endpoints/${path}/deliveries`);
  note('listWebhookDeliveries', 'tries', 'A delivery with two attempts', await tries(id));
  note('listWebhookDeliveries', 'none', 'No such endpoint', await tries(none));
  const keys = app.app.get(MasterKeys, { strict: false });
  const first = jest.spyOn(keys, 'first', 'get').mockImplementation(() => new MasterKeys([]).first);
  address('93.184.215.14');
  await send('createWebhookEndpoint', 'no_keys', 'No key seals secrets', 'POST', '', endpoint);
  await send('rotateWebhookSecret', 'no_keys', 'No key seals secrets', 'POST', `/${id}/rotate`, {});
  first.mockRestore();
  await send('deleteWebhookEndpoint', 'removed', 'It is removed', 'DELETE', `/${id}`, {});
  await send('deleteWebhookEndpoint', 'none', 'No such endpoint', 'DELETE', `/${none}`, {});
  resolve.mockRestore();
}

/** People assign cases, accept them, and write notes about them. */
async function walkReviews(
  client: ReturnType<typeof api>,
  note: Note,
  [one, other]: readonly { readonly id: string }[],
): Promise<void> {
  const cases = '/reconciliation/cases';
  const patch = async (
    id: string,
    name: string,
    summary: string,
    path: string,
    body: object,
    headers?: Record<string, string>,
  ): Promise<void> => {
    note(id, name, summary, await client.send('PATCH', `${cases}${path}`, { body, headers }), body);
  };
  const accepted = { reason: 'Billed by hand until June', decided_by: 'Mariam, accounts payable' };
  await patch('reviewCase', 'accepted', 'A difference is accepted', `/${one?.id}`, {
    owner: 'Omar',
    accepted: { ...accepted, until: '2999-12-31' },
  });
  await patch('reviewCase', 'taken_back', 'The acceptance is taken back', `/${one?.id}`, { accepted: null });
  await patch('reviewCase', 'no_such_case', 'No such case', '/case_none', { owner: 'Omar' });
  const former = '5ad54dbb2f1b2b9e9a4c5b5d9a0ac6a1';
  const headers = { 'If-Match': `"${former}"` };
  await patch('reviewCase', 'changed', 'Its values have changed', `/${one?.id}`, { accepted }, headers);
  const ids = [one?.id, other?.id];
  await patch('reviewCases', 'assigned', 'Two cases are assigned', '', { ids, owner: 'Omar' });
  await patch('reviewCases', 'no_such_case', 'One of them does not exist', '', {
    ids: [...ids, 'case_none'],
    owner: 'Omar',
  });
  await patch('reviewCases', 'changed', 'Their values have changed', '', {
    ids,
    versions: [former, former],
    accepted,
  });
  const text = { text: 'Asked the site office', written_by: 'Omar' };
  const write = async (name: string, summary: string, id: string | undefined): Promise<void> => {
    const answer = await client.post(`${cases}/${id}/notes`, text);
    note('addCaseNote', name, summary, answer, text);
  };
  await write('written', 'A note', one?.id);
  await write('no_such_case', 'No such case', 'case_none');
}

/** What may not be written about a case that is closed. */
async function walkClosedCase(client: ReturnType<typeof api>, note: Note, id: string): Promise<void> {
  const path = `/reconciliation/cases/${id}`;
  const example = ['closed', 'A closed case'] as const;
  const owner = { owner: 'Omar' };
  note('reviewCase', ...example, await client.send('PATCH', path, { body: owner }), owner);
  const all = { ids: [id], ...owner };
  note('reviewCases', ...example, await client.send('PATCH', '/reconciliation/cases', { body: all }), all);
  const text = { text: 'Too late', written_by: 'Omar' };
  note('addCaseNote', ...example, await client.post(`${path}/notes`, text), text);
}

/** A change and a withdrawal while other work holds the customer's records. */
async function underWay(
  app: RunningApp,
  databaseUrl: string,
): Promise<{ readonly change: ApiResponse; readonly withdrawal: ApiResponse }> {
  const caller = await app.openSession();
  const unitOfWork = app.app.get(UnitOfWork, { strict: false });
  const run = unitOfWork.run.bind(unitOfWork);
  // It waits for ten seconds else, and then answers the same.
  const giveUpSoon = jest
    .spyOn(unitOfWork, 'run')
    .mockImplementation((work, options) =>
      run(work, options?.lockWaitMs === undefined ? options : { ...options, lockWaitMs: 300 }),
    );
  const other = new Client({ connectionString: databaseUrl });
  await other.connect();
  try {
    await other.query('begin');
    await other.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [
      `customer ${caller.customerId}`,
    ]);
    const client = api(app.url, caller.key);
    const [change, withdrawal] = await Promise.all([
      client.post('/propagate', {
        format: 'platform',
        platform: 'platform_a',
        platform_id: '1823456',
        entity_type: 'payment',
        data: { notes: 'Never written' },
      }),
      client.send('DELETE', '/reconciliation/decisions/e3b0c442-98fc-4c14-9afb-f4c8996fb924', {
        body: withdrawalBody,
      }),
    ]);
    return { change, withdrawal };
  } finally {
    giveUpSoon.mockRestore();
    await other.end();
  }
}

async function raw(app: RunningApp, end: string): Promise<Pick<ApiResponse, 'status' | 'body'>> {
  const [answer] = await rawHttp(app.url, `GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n${end}`, 1);
  if (answer === undefined) throw new Error('There was no answer');
  return { status: answer.status, body: JSON.parse(answer.body) };
}
