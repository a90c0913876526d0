import { Client } from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { api, type ApiResponse } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { listing } from '../../support/customers/listings';
import { portfolios, type Portfolios } from '../../support/customers/portfolio';
import { DemoService } from '../../../src/demo/demo.service';

jest.setTimeout(120_000);

type Api = ReturnType<typeof api>;

const uuid = 'e3b0c442-98fc-4c14-9afb-f4c8996fb924';

/** A session with records of both platforms, and an object of it. */
interface Session {
  readonly client: Api;
  readonly customerId: string;
  readonly payment: string;
  readonly alone: { readonly here: string; readonly there: string };
}

const change = (notes: string, more: object = {}) => ({
  format: 'platform',
  platform: 'platform_a',
  platform_id: '1823456',
  entity_type: 'payment',
  data: { notes },
  ...more,
});

const decision = ({ alone }: Session, more: object = {}) => ({
  decision: 'not_same',
  entity_type: 'payment',
  records: [
    { platform: 'platform_a', platform_id: alone.here },
    { platform: 'platform_b', platform_id: alone.there },
  ],
  reason: 'Seen on paper',
  decided_by: 'Kim',
  ...more,
});

const signoff = {
  as_of: '2026-01-01',
  currency: 'USD',
  digest: `sha256:${'0'.repeat(64)}`,
  role: 'prepared',
  signed_by: 'Kim',
};

const key = { 'Idempotency-Key': 'while-removed' };
const csv = { Accept: 'text/csv' };

/** Every route that a customer's key opens, and those with variations that write. */
const requests: Readonly<Record<string, (client: Api, session: Session) => Promise<ApiResponse>>> = {
  'POST /connect': (client) => client.post('/connect', { platform: 'platform_a' }),
  'POST /connect with a key': (client) => client.post('/connect', { platform: 'platform_a' }, key),
  'GET /me': (client) => client.get('/me'),
  'GET /rates': (client) => client.get('/rates'),
  'PUT /rates': (client) => client.send('PUT', '/rates', { body: { from: 'EUR', to: 'USD', rate: '1.08' } }),
  'DELETE /rates/{from}/{to}': (client) => client.send('DELETE', '/rates/EUR/USD', { body: {} }),
  'GET /precedence': (client) => client.get('/precedence'),
  'PUT /precedence/{type}/{field}': (client) =>
    client.send('PUT', '/precedence/payment/date', { body: { platforms: ['platform_b'] } }),
  'DELETE /precedence/{type}/{field}': (client) =>
    client.send('DELETE', '/precedence/payment/date', { body: {} }),
  'GET /rules': (client) => client.get('/rules'),
  'PUT /rules/{name}': (client) =>
    client.send('PUT', '/rules/paid_above_billed', { body: { level: 'warn' } }),
  'DELETE /rules/{name}': (client) => client.send('DELETE', '/rules/paid_above_billed', { body: {} }),
  'GET /connections': (client) => client.get('/connections'),
  'GET /objects': (client) => client.get('/objects?platform=platform_a&entity_type=payment'),
  'GET /objects, a page': (client) => client.get('/objects?platform=platform_a&entity_type=payment&limit=1'),
  'GET /objects/{id}': (client, { payment }) => client.get(`/objects/${payment}`),
  'GET /objects/{id}/history': (client, { payment }) => client.get(`/objects/${payment}/history`),
  'GET /propagations/{id}': (client) => client.get(`/propagations/${uuid}`),
  'POST /propagate': (client) => client.post('/propagate', change('Late')),
  'POST /propagate, a dry run': (client) => client.post('/propagate', change('Late', { dry_run: true })),
  'POST /propagate with a key': (client) => client.post('/propagate', change('Late'), key),
  'POST /transform': (client) =>
    client.post('/transform', {
      source: 'platform_a',
      target: 'platform_b',
      entity_type: 'payment',
      data: {},
    }),
  'GET /reconciliation': (client) => client.get('/reconciliation'),
  'GET /reconciliation with as_of': (client) => client.get('/reconciliation?as_of=2026-01-01'),
  'GET /reconciliation/cases': (client) => client.get('/reconciliation/cases'),
  'GET /reconciliation/cases/{id}': (client) => client.get('/reconciliation/cases/none'),
  'GET /reconciliation/decisions': (client) => client.get('/reconciliation/decisions'),
  'POST /reconciliation/decisions': (client, session) =>
    client.post('/reconciliation/decisions', decision(session)),
  'POST /reconciliation/decisions, a dry run': (client, session) =>
    client.post('/reconciliation/decisions', decision(session, { dry_run: true })),
  'POST /reconciliation/decisions with a key': (client, session) =>
    client.post('/reconciliation/decisions', decision(session), key),
  'DELETE /reconciliation/decisions/{id}': (client) =>
    client.send('DELETE', `/reconciliation/decisions/${uuid}`, {
      body: { reason: 'A mistake', decided_by: 'Lee' },
    }),
  'GET /reconciliation/signoffs': (client) => client.get('/reconciliation/signoffs'),
  'GET /reconciliation/signoffs/{id}': (client) => client.get(`/reconciliation/signoffs/${uuid}`),
  'POST /reconciliation/signoffs': (client) => client.post('/reconciliation/signoffs', signoff),
  'POST /reconciliation/signoffs with a key': (client) =>
    client.post('/reconciliation/signoffs', signoff, key),
  'DELETE /reconciliation/signoffs/{id}': (client) =>
    client.send('DELETE', `/reconciliation/signoffs/${uuid}`, {
      body: { reason: 'A mistake', decided_by: 'Lee' },
    }),
  'DELETE /demo/session': (client) => client.delete('/demo/session'),
};

function requestOf(name: string): (client: Api, session: Session) => Promise<ApiResponse> {
  const ask = requests[name];
  if (ask === undefined) throw new Error(`There is no ${name}`);
  return ask;
}

/** Those that write for their customer before they answer: no other answer than 401 is right for one that is gone. */
const writing = Object.keys(requests).filter((name) =>
  /^(?:POST|PUT|DELETE) /.test(name) && name !== 'POST /transform'
    ? true
    : ['GET /reconciliation', 'GET /reconciliation/cases', 'GET /reconciliation/cases/{id}'].includes(name),
);

describe('a request of a demo session that is removed meanwhile', () => {
  let service: RunningApp;
  let all: Portfolios;
  let holder: Client;
  beforeAll(async () => {
    service = await startApp();
    all = await portfolios(service);
    holder = new Client({ connectionString: service.databaseUrl });
    await holder.connect();
  });
  afterAll(async () => {
    await holder.end();
    await all.close();
    await service.close();
  });

  async function bare(): Promise<Session> {
    const { key: apiKey, customerId } = await service.openSession();
    const client = api(service.url, apiKey);
    return { client, customerId, payment: 'pay_none', alone: { here: '1', there: uuid } };
  }

  /** Payments that the portfolios of all sessions have in common. */
  let inCommon: Promise<Pick<Session, 'payment' | 'alone'>> | undefined;

  async function paymentsOf(client: Api): Promise<Pick<Session, 'payment' | 'alone'>> {
    const here = await listing(client, 'platform_a', 'payment');
    const there = await listing(client, 'platform_b', 'payment');
    const loneHere = here.find(({ mappings }) => mappings.length === 1) ?? here[0];
    const loneThere = there.find(({ mappings }) => mappings.length === 1) ?? there[1];
    if (loneHere === undefined || loneThere === undefined) throw new Error('There are no payments');
    return { payment: loneHere.canonical_id, alone: { here: loneHere.id, there: loneThere.id } };
  }

  async function open(): Promise<Session> {
    const { client, customerId } = await all.open();
    inCommon ??= paymentsOf(client);
    const payments = await inCommon;
    // Nothing has compared its records so far: a statement begins with that.
    await client.post('/propagate', change('Before'));
    return { client, customerId, ...payments };
  }

  /** Connections that wait for a lock that the holder has. */
  async function blocked(): Promise<number> {
    const { rows } = await holder.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and pg_backend_pid() = any (pg_blocking_pids(pid))`,
    );
    return rows[0]?.count ?? 0;
  }

  /** Asks while the customer's row is being deleted; the deletion commits when the request waits for it, or has ended. */
  async function whileDeleted(
    session: Session,
    ask: (client: Api, session: Session) => Promise<ApiResponse>,
    withLock: boolean,
  ): Promise<ApiResponse> {
    const { client, customerId } = session;
    // As the removal of the session does it, with the key still known to this instance.
    await client.get('/connections');
    await holder.query('begin');
    if (withLock)
      await holder.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`customer ${customerId}`]);
    await holder.query('delete from customers where id = $1', [customerId]);
    let ended = false;
    const answer = ask(client, session).finally(() => (ended = true));
    answer.catch(() => undefined);
    const until = performance.now() + 5_000;
    while (!ended && (await blocked()) === 0 && performance.now() < until) await pause(5);
    await holder.query('commit');
    return answer;
  }

  it.each(
    Object.keys(requests).flatMap((name) => [
      { name, how: 'under the lock of the customer', withLock: true },
      // As an operator may do it by hand.
      ...(writing.includes(name) ? [{ name, how: 'without a lock', withLock: false }] : []),
    ]),
  )('$name meets no fault $how', async ({ name, withLock }) => {
    const session = await open();
    const answer = await whileDeleted(session, requestOf(name), withLock);
    const { status } = answer;
    const fault = service.log.find(({ level, err }) => level === 'error' && err !== undefined);
    expect({ name, status, fault }).toEqual({ name, status, fault: undefined });
    // One that no longer finds anything, or had ended before, or is told that other work is under way.
    expect([200, 202, 204, 401, 404, 409]).toContain(status);
    if (status === 401) expectError(answer, 401, 'AUTHENTICATION_ERROR', 'Invalid or missing API key');
  });

  it.each(writing)('%s is 401 as soon as the customer is gone', async (name) => {
    const session = await bare();
    await session.client.get('/connections');
    await holder.query('delete from customers where id = $1', [session.customerId]);
    const answer = await requestOf(name)(session.client, session);
    expectError(answer, 401, 'AUTHENTICATION_ERROR', 'Invalid or missing API key');
  });

  it('is 401 in a storm of requests around the removal, and nothing is logged as a fault', async () => {
    const before = service.log.length;
    for (let round = 0; round < 2; round += 1) {
      const session = await open();
      const { client, customerId } = session;
      const storm = Object.entries(requests)
        .filter(([name]) => name !== 'DELETE /demo/session')
        .flatMap(([, ask]) => [ask, ask])
        .map((ask) => ask(client, session));
      const removed = service.app.get(DemoService, { strict: false }).close({ id: customerId, kind: 'demo' });
      const answers = await Promise.all([
        ...storm,
        ...Object.values(requests).map((ask) => ask(client, session)),
      ]);
      await removed;
      expect(answers.filter(({ status }) => status >= 500).map(({ body }) => body)).toEqual([]);
    }
    const faults = service.log.slice(before).filter(({ level }) => level === 'warn' || level === 'error');
    expect(faults).toEqual([]);
  });

  it.each(
    ['true', 'false'].flatMap((head) => [
      `/reconciliation?head=${head}`,
      `/reconciliation/cases?head=${head}`,
      `/reconciliation/decisions?head=${head}`,
      `/reconciliation/signoffs?head=${head}`,
      `/objects?platform=platform_a&entity_type=payment&head=${head}`,
    ]),
  )('gets no file that says less than an error would from %s', async (path) => {
    const { client, customerId } = await bare();
    // From here on this instance knows the key for a second.
    await client.get('/connections');
    await holder.query('delete from customers where id = $1', [customerId]);
    expectError(await client.get(path, csv), 401, 'AUTHENTICATION_ERROR');
  });
});
