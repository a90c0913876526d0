import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { api } from '../../support/app/api';
import { startApp, type Caller, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { TransactionStore } from '../../../src/database/transaction/transaction-store';
import { connect, listing } from '../../support/customers/listings';
import { copyPortfolio } from '../../support/customers/portfolio';
import { StoredRecords } from '../../support/database/stored-records';

const COUNT = 1_500;
const path = '/api/v1/objects?platform=platform_a&entity_type=payment';

describe('a long listing', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  let caller: Caller;
  beforeAll(async () => {
    service = await startApp({}, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
    caller = await service.openSession();
    const notes = 'x'.repeat(8_000);
    // Numbers of one to four digits, brought in no order.
    const ids = Array.from({ length: COUNT }, (_, index) => ((index * 1_999) % COUNT) + 1);
    sources.give(caller.customerId, 'platform_a', [
      ...ids.map((id) => record('payment', { id, check_number: `CHK-${id}`, amount: `${id}.00`, notes })),
      record('payment', { id: 'x-10' }),
      record('payment', { id: 'X-9' }),
    ]);
    sources.give(
      caller.customerId,
      'platform_b',
      ids
        .slice(0, 500)
        .map((id) => record('payment', { id: `b-${id}`, externalDocumentNumber: `CHK-${id}` })),
    );
    const client = api(service.url, caller.key);
    await connect(client, 'platform_a');
    await connect(client, 'platform_b');
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  it('is known to the query planner as what it is', async () => {
    const [records] = await stored.query<{ count: number }>(
      `select reltuples::int as count from pg_class where oid = 'platform_records'::regclass`,
    );
    expect(records?.count).toBeGreaterThan(COUNT);
  });

  it('has each record once, numbers in the order of numbers and before other IDs', async () => {
    const objects = await listing(api(service.url, caller.key), 'platform_a', 'payment');
    const numbers = Array.from({ length: COUNT }, (_, index) => String(index + 1));
    expect(objects.map(({ id }) => id)).toEqual([...numbers, 'X-9', 'x-10']);
    expect(objects.filter(({ mappings }) => mappings.length === 2)).toHaveLength(500);
    expect(objects.every(({ id, data }) => data.external_ids.platform_a === id)).toBe(true);
  });

  it('is read from the database page by page, as fast as it is taken', async () => {
    const query = jest.spyOn(TransactionStore.prototype, 'query');
    const response = await openListing();
    response.pause();
    // The reader takes nothing, so what is read is what fits into the buffers on the way.
    const pages = () => query.mock.calls.filter(([sql]) => sql.includes('limit $6')).length;
    const before = await steady(pages);
    expect(before).toBeGreaterThan(0);
    const data = await elementsOf(response);
    expect(data).toHaveLength(COUNT + 2);
    expect(pages()).toBeGreaterThan(before + 1);
    query.mockRestore();
  });

  it('holds no connection while its reader takes nothing', async () => {
    const responses = await Promise.all(Array.from({ length: 15 }, () => openListing()));
    for (const response of responses) response.pause();
    await until(async () => (await openTransactions()) === 0);
    expect((await api(service.url, caller.key).get('/connections')).status).toBe(200);
    for (const response of responses) response.destroy();
  });

  it('reads no more than about a megabyte of payloads at a time', async () => {
    const other = await service.openSession();
    const large = Array.from({ length: 12 }, (_, index) =>
      record('payment', { id: index + 1, check_number: `L-${index}`, notes: 'x'.repeat(200_000) }),
    );
    sources.give(other.customerId, 'platform_a', large);
    const client = api(service.url, other.key);
    await connect(client, 'platform_a');
    const query = jest.spyOn(TransactionStore.prototype, 'query');
    expect(await listing(client, 'platform_a', 'payment')).toHaveLength(12);
    const pages = query.mock.calls.filter(([sql]) => sql.includes('limit $6'));
    expect(pages.length).toBeGreaterThanOrEqual(3);
    query.mockRestore();
  });

  it('neither leaves out nor repeats a record while others come, change and go', async () => {
    const other = await service.openSession();
    await copyPortfolio(stored, caller.customerId, other.customerId);
    // As a connect has it done that brings many records: a planner that knows none of this customer reads all for each page.
    await stored.query('analyze platform_records, canonical_objects');
    const response = await openListing(other.key);
    response.pause();
    await stored.query(
      `update platform_records set payload = '{"id":1499,"notes":"changed meanwhile"}'
       where customer_id = $1 and platform = 'platform_a' and platform_id = '1499'`,
      [other.customerId],
    );
    await stored.query(
      `delete from platform_records where customer_id = $1 and platform = 'platform_a' and platform_id = '1498'`,
      [other.customerId],
    );
    const ids = (await elementsOf(response)).map(({ id }) => id);
    const others = ids.filter((id) => id !== '1498');
    const numbers = Array.from({ length: COUNT }, (_, index) => String(index + 1));
    expect(others).toEqual([...numbers.filter((id) => id !== '1498'), 'X-9', 'x-10']);
    expect(ids.length - others.length).toBeLessThanOrEqual(1);
  });

  function openListing(key = caller.key): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { Authorization: `Bearer ${key}` };
      get(`${service.url}${path}`, { headers }, resolve).once('error', reject);
    });
  }

  async function elementsOf(response: IncomingMessage): Promise<{ id: string }[]> {
    let text = '';
    response.setEncoding('utf8');
    for await (const chunk of response) text += String(chunk);
    return (JSON.parse(text) as { data: { id: string }[] }).data;
  }

  async function openTransactions(): Promise<number> {
    const [row] = await stored.query<{ open: number }>(
      `select count(*)::int as open from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and state in ('active', 'idle in transaction')`,
    );
    return row?.open ?? 0;
  }
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20);
}

/** A number, once it has stopped changing. */
async function steady(value: () => number): Promise<number> {
  for (let last = value(); ; last = value()) {
    await sleep(300);
    if (value() === last) return last;
  }
}
