import { randomBytes } from 'node:crypto';
import { KeyRetention } from '../../../src/common/idempotency/key-retention';
import { Metrics } from '../../../src/runtime/metrics/metrics';
import { VersionRetention } from '../../../src/objects/history/version-retention';
import { HistoryRetention } from '../../../src/outbox/history-retention';
import { ReviewRetention } from '../../../src/reconciliation/reviews/review-retention';
import { StorageQuota } from '../../../src/records/storage-quota/storage-quota';
import { DeletedRetention } from '../../../src/sync/absences/deleted-retention';
import { api, type ApiResponse } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { portfolios, type Portfolio, type Portfolios } from '../../support/customers/portfolio';

jest.setTimeout(120_000);

const MB = 1024 ** 2;
const QUOTA = MB / 2;
const CONTRACT = '1945782';

/** A change that no compression makes small. */
const change = (bytes = 60_000) => ({
  format: 'platform',
  platform: 'platform_a',
  platform_id: CONTRACT,
  entity_type: 'contract',
  data: { description: randomBytes(bytes).toString('base64') },
});

const decision = {
  decision: 'not_same',
  entity_type: 'payment',
  records: [
    { platform: 'platform_a', platform_id: '1823456' },
    { platform: 'platform_b', platform_id: 'a34e74db-53c7-4368-8fe7-bb87c83c7902' },
  ],
  reason: 'Two payments',
  decided_by: 'Amal',
};
const withdrawal = { reason: 'They are one', decided_by: 'Amal' };

describe('The storage quota', () => {
  let app: RunningApp;
  let other: RunningApp;
  let all: Portfolios;
  let keys = 0;
  beforeAll(async () => {
    app = await startApp({ demoStorageQuotaBytes: QUOTA, storageQuotaBytes: QUOTA });
    other = await startApp({
      demoStorageQuotaBytes: QUOTA,
      storageQuotaBytes: QUOTA,
      databaseUrl: app.databaseUrl,
    });
    all = await portfolios(app);
  });
  afterEach(() => {
    expect(app.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
  afterAll(async () => {
    await all.close();
    await other.close();
    await app.close();
  });

  const quota = (of: RunningApp = app) => of.app.get(StorageQuota, { strict: false });
  const write = (client: Portfolio['client'], bytes?: number) =>
    client.post('/propagate', change(bytes), { 'Idempotency-Key': `key-${(keys += 1)}` });
  /** Writes until the answer is no success, or so often. */
  const writeUntilRefused = async (client: Portfolio['client'], most: number): Promise<ApiResponse> => {
    for (let writes = 1; ; writes += 1) {
      const answer = await write(client);
      if (answer.status !== 200 || writes === most) return answer;
      // Each count takes in what was written before.
      if (writes % 4 === 0) await quota().settled();
    }
  };
  /** A demo customer who has written until it was refused. */
  const full = async (): Promise<Portfolio> => {
    const portfolio = await all.open();
    expect((await writeUntilRefused(portfolio.client, 5_000)).status).toBe(429);
    return portfolio;
  };
  let known: Promise<Portfolio> | undefined;
  /** The same for each test that changes nothing of such a customer. */
  const anyFull = (): Promise<Portfolio> => (known ??= full());
  const storageOf = async ({ client }: Pick<Portfolio, 'client'>) =>
    (await client.get('/connections')).body.data.storage;

  it('refuses writes of a demo customer that has used it up, and names the full part', async () => {
    const portfolio = await anyFull();
    const refused = await write(portfolio.client);
    expectError(refused, 429, 'RATE_LIMIT_ERROR');
    expect(refused.body.error.message).toMatch(
      /^The storage of this demo session is full: its history takes \d+\.\d MB and its answers kept under Idempotency-Keys \d+\.\d MB of 0\.5 MB; nothing was done\./,
    );
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    const storage = await storageOf(portfolio);
    expect(storage).toEqual({
      history_bytes: expect.any(Number),
      kept_answers_bytes: expect.any(Number),
      quota_bytes: QUOTA,
    });
    expect(storage.history_bytes).toBeGreaterThan(0);
    expect(storage.kept_answers_bytes).toBeGreaterThan(0);
    expect(storage.history_bytes + storage.kept_answers_bytes).toBeGreaterThanOrEqual(QUOTA);
  });

  it('is that of every route that writes, on every instance, and of no other', async () => {
    const portfolio = await full();
    const before = await portfolio.stored();
    for (const { url } of [app, other]) {
      const client = api(url, portfolio.key);
      const refused = [
        await client.post('/propagate', change()),
        await client.post('/propagate', change(), { 'Idempotency-Key': 'refused' }),
        await client.post(
          '/propagate',
          { ...change(), platform_id: '999' },
          { 'Idempotency-Key': 'missing' },
        ),
        await client.post('/connect', { platform: 'platform_a' }),
        await client.post('/reconciliation/decisions', decision),
        await client.send('DELETE', '/reconciliation/decisions/e3b0c442-98fc-4c14-9afb-f4c8996fb924', {
          body: withdrawal,
        }),
      ];
      expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 429));
      expect((await client.get(`/objects?platform=platform_a&entity_type=payment`)).status).toBe(200);
      expect((await client.get('/reconciliation')).status).toBe(200);
      const preview = { source: 'platform_b', target: 'platform_a', entity_type: 'time_entry', data: {} };
      expect((await client.post('/transform', preview)).status).not.toBe(429);
    }
    expect(await portfolio.stored()).toEqual(before);
    const kept = await portfolio.sql(
      `select key from idempotency_keys where customer_id = $1 and key in ('refused', 'missing')`,
      [portfolio.customerId],
    );
    expect(kept).toEqual([]);
    expect((await portfolio.client.delete('/demo/session')).status).toBe(204);
  });

  it('lets a dry run through, which stores nothing, nor its answer under a key', async () => {
    const portfolio = await anyFull();
    const { client } = portfolio;
    const before = await portfolio.stored();
    const stateOfKeys = () =>
      portfolio.sql('select key, status from idempotency_keys where customer_id = $1 order by key', [
        portfolio.customerId,
      ]);
    const keysBefore = await stateOfKeys();
    const dryRun = { ...change(), dry_run: true };
    const tries = [
      await client.post('/propagate', dryRun),
      await client.post('/propagate', dryRun, { 'Idempotency-Key': 'tried' }),
      await client.post('/propagate', dryRun, { 'Idempotency-Key': 'tried' }),
    ];
    for (const tried of tries) {
      expect([tried.status, tried.headers.get('Idempotent-Replayed')]).toEqual([200, null]);
      expect(tried.body.data).toMatchObject({
        dry_run: true,
        propagated: { platform_a: { status: 'applied' } },
      });
    }
    const missing = { ...dryRun, platform_id: '999' };
    expectError(await client.post('/propagate', missing, { 'Idempotency-Key': 'none' }), 404, 'NOT_FOUND');
    const decided = await client.post(
      '/reconciliation/decisions',
      { ...decision, dry_run: true },
      { 'Idempotency-Key': 'decided' },
    );
    expect([decided.status, decided.body.data.dry_run]).toEqual([200, true]);
    const withdrawn = await client.send(
      'DELETE',
      '/reconciliation/decisions/e3b0c442-98fc-4c14-9afb-f4c8996fb924',
      { body: { ...withdrawal, dry_run: true } },
    );
    expectError(withdrawn, 404, 'NOT_FOUND');
    expect(await portfolio.stored()).toEqual(before);
    expect(await stateOfKeys()).toEqual(keysBefore);
  });

  it('keeps the answer of a dry run under its key as long as there is room', async () => {
    const { client } = await all.open();
    const dryRun = { ...change(), dry_run: true };
    const [first, again] = [
      await client.post('/propagate', dryRun, { 'Idempotency-Key': 'tried' }),
      await client.post('/propagate', dryRun, { 'Idempotency-Key': 'tried' }),
    ];
    expect([first.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
  });

  it('leaves answers that are kept to those who ask again', async () => {
    const portfolio = await all.open();
    const body = change();
    const send = () => portfolio.client.post('/propagate', body, { 'Idempotency-Key': 'first' });
    const first = await send();
    expect((await writeUntilRefused(portfolio.client, 5_000)).status).toBe(429);
    const again = await send();
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
  });

  it('is that of one customer alone', async () => {
    await anyFull();
    const bystander = await all.open();
    expect((await write(bystander.client)).status).toBe(200);
    expect((await storageOf(bystander)).quota_bytes).toBe(QUOTA);
  });

  it('ends a flood of parallel writers soon, with nothing half-written, while others are served', async () => {
    const portfolio = await all.open();
    const bystander = await all.open();
    const writers = 16;
    const refusals: ApiResponse[] = [];
    const given: number[] = [];
    const flood = Array.from({ length: writers }, async () => {
      const client = api(app.url, portfolio.key);
      for (;;) {
        const answer = await write(client);
        given.push(answer.status);
        if (answer.status !== 200) {
          refusals.push(answer);
          return;
        }
      }
    });
    let isOver = false;
    const over = Promise.all(flood).then(() => (isOver = true));
    const served: number[] = [];
    do served.push((await write(bystander.client, 100)).status);
    while (!isOver && served.length < 10);
    await over;

    expect(new Set(served)).toEqual(new Set([200]));
    expect(refusals).toHaveLength(writers);
    for (const refused of refusals) {
      expectError(refused, 429, 'RATE_LIMIT_ERROR', /^The storage of this demo session is full/);
      expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    }
    // Each success left its change, its version and its answer; a refusal none of them.
    const [stored] = await portfolio.sql<Record<string, number>>(
      `select (select count(*)::int from propagations where customer_id = $1) as changes,
         (select count(*)::int from idempotency_keys where customer_id = $1) as keys,
         (select count(*)::int from idempotency_keys where customer_id = $1 and body is not null) as answers,
         (select count(*)::int from record_versions where customer_id = $1) as versions`,
      [portfolio.customerId],
    );
    const successes = given.filter((status) => status === 200).length;
    expect(stored).toMatchObject({
      changes: successes,
      keys: successes,
      answers: successes,
      versions: successes,
    });

    // Where one was refused, only what was under way is written still.
    expect(given.slice(given.indexOf(429)).filter((status) => status === 200).length).toBeLessThan(writers);
    const stateAfter = async () => {
      await quota().settled();
      await quota().recount(portfolio.customerId);
      return storageOf(portfolio);
    };
    const before = await stateAfter();
    const statuses = await Promise.all(
      Array.from({ length: writers }, async () => (await write(portfolio.client)).status),
    );
    expect(statuses).toEqual(statuses.map(() => 429));
    expect(await stateAfter()).toEqual(before);
  });

  it('has room again when stored data is removed', async () => {
    const portfolio = await full();
    await portfolio.sql(
      `update idempotency_keys set created_at = created_at - interval '2 days' where customer_id = $1`,
      [portfolio.customerId],
    );
    const before = await storageOf(portfolio);
    await app.app.get(KeyRetention, { strict: false }).purge();
    const without = await storageOf(portfolio);
    expect(without).toEqual({ ...before, history_bytes: expect.any(Number), kept_answers_bytes: 0 });
    await portfolio.sql(
      `update propagations set created_at = created_at - interval '500 days', decided_at = decided_at - interval '500 days'
       where customer_id = $1`,
      [portfolio.customerId],
    );
    await app.app.get(HistoryRetention, { strict: false }).purge();
    await app.app.get(VersionRetention, { strict: false }).purge(new Date(Date.now() + 1_000));
    // That was of all customers: the one of `anyFull` is full no more.
    known = undefined;
    expect((await storageOf(portfolio)).history_bytes).toBe(0);
    expect((await write(portfolio.client)).status).toBe(200);
  });

  it('counts again what is left where notes of people and deleted records go, as of a customer that writes no more', async () => {
    const portfolio = await all.open();
    const { customerId } = portfolio;
    const counted = async () => {
      const [row] = await portfolio.sql<{ bytes: number }>(
        'select history_bytes::int as bytes from storage_usage where customer_id = $1',
        [customerId],
      );
      return row?.bytes ?? 0;
    };
    await quota().recount(customerId);
    const before = await counted();
    await portfolio.sql(
      `insert into case_notes (customer_id, id, case_id, at, text, written_by)
       values ($1, gen_random_uuid(), 'none', now() - interval '500 days', repeat('x', 1000), 'Kim')`,
      [customerId],
    );
    await quota().recount(customerId);
    expect(await counted()).toBeGreaterThan(before);
    await app.app.get(ReviewRetention, { strict: false }).purge();
    expect(await counted()).toBe(before);

    await portfolio.sql(
      `insert into canonical_objects (customer_id, id, entity_type) values ($1, 'pay_gone', 'payment')`,
      [customerId],
    );
    await portfolio.sql(
      `insert into deleted_records (customer_id, platform, entity_type, platform_id, payload, native_order, canonical_id, deleted_at)
       values ($1, 'platform_a', 'payment', '1', '{"id":1}', '1', 'pay_gone', now() - interval '500 days')`,
      [customerId],
    );
    await quota().recount(customerId);
    expect(await counted()).toBeGreaterThan(before);
    await app.app.get(DeletedRetention, { strict: false }).purge();
    expect(await counted()).toBe(before);
  });

  it('stops only demo customers: for others the operator is told, and writes continue', async () => {
    const { key, customerId } = await app.issueKey('test');
    const client = api(app.url, key);
    for (const platform of ['platform_a', 'platform_b']) await client.post('/connect', { platform });
    const isTold = () =>
      app.log.some(({ msg, customer_id }) => /storage quota/.test(String(msg)) && customer_id === customerId);
    while (!isTold()) {
      expect((await write(client)).status).toBe(200);
      await quota().settled();
    }
    expect((await write(client)).status).toBe(200);
    await quota().settled();
    const text = await app.app.get(Metrics, { strict: false }).registry.metrics();
    expect(text).toMatch(/^translation_storage_customers_over_quota\{kind="standard"\} 1$/m);
    expect(text).toMatch(/^translation_storage_bytes\{kind="standard",part="history"\} [1-9]\d*$/m);
    expect(text).toMatch(/^translation_storage_bytes\{kind="standard",part="answers"\} [1-9]\d*$/m);
    expect((await storageOf({ client })).quota_bytes).toBe(QUOTA);
  });
});
