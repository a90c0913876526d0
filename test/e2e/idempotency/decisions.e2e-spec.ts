import { Client } from 'pg';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { withdraw } from '../../support/customers/deciding';
import { expectError, isReplay } from '../../support/app/expectations';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(60_000);

const [a, b] = ['platform_a', 'platform_b'] as const;

const about = (id: string, decision = 'not_same', more: object = {}) => ({
  decision,
  entity_type: 'payment',
  records: [
    { platform: a, platform_id: id },
    { platform: b, platform_id: `b${id}` },
  ],
  reason: 'Seen on paper',
  decided_by: 'Kim',
  ...more,
});

describe('decisions with an Idempotency-Key', () => {
  const sources = new GivenRecords();
  let app: RunningApp;
  let other: RunningApp;
  let stored: StoredRecords;
  let client: ReturnType<typeof api>;
  let key: string;
  let customerId: string;
  beforeAll(async () => {
    app = await startApp({}, [], sources);
    other = await startApp({ databaseUrl: app.databaseUrl }, [], sources);
    stored = await StoredRecords.open(app.databaseUrl);
  });
  beforeEach(async () => {
    ({ key, customerId } = await app.openSession());
    client = api(app.url, key);
    const numbers = Array.from({ length: 9 }, (_, at) => at + 1);
    sources.give(
      customerId,
      a,
      numbers.map((id) => record('payment', { id, amount: '10.00', check_number: `CHK-${id}` })),
    );
    sources.give(
      customerId,
      b,
      numbers.map((id) =>
        record('payment', { id: `b${id}`, amount: -10, externalDocumentNumber: `CHK-${id}` }),
      ),
    );
    for (const platform of [a, b] as const) await connect(client, platform);
  });
  afterEach(() => expect(app.log.filter(({ level }) => level === 'error')).toEqual([]));
  afterAll(async () => {
    await stored.close();
    await other.close();
    await app.close();
  });

  const send = (name: string, body: object, url = app.url) =>
    api(url, key).post('/reconciliation/decisions', body, { 'Idempotency-Key': name });
  const decisions = () =>
    stored.query('select id from reconciliation_decisions where customer_id = $1', [customerId]);
  const keys = () =>
    stored.query('select key, status, lease_until from idempotency_keys where customer_id = $1', [
      customerId,
    ]);

  it('decides once, and gives the same answer again, on any instance, also when it was withdrawn', async () => {
    const first = await send('one', about('1'));
    expect(first.status).toBe(200);
    expect(first.body.data.effects.records_total).toBe(1);
    expect(isReplay(first)).toBe(false);
    await withdraw(client, first.body.data.id);
    for (const { url } of [app, other]) {
      const again = await send('one', about('1'), url);
      expect([again.status, again.text, isReplay(again)]).toEqual([200, first.text, true]);
    }
    expect(await decisions()).toHaveLength(1);
    expect((await client.get('/reconciliation/decisions?status=standing')).body.data).toEqual([]);
    expect(await keys()).toEqual([{ key: 'one', status: 200, lease_until: null }]);
  });

  it('refuses the key for another body or path with 409, naming it', async () => {
    await send('taken-4711', about('1'));
    expectError(await send('taken-4711', about('2')), 409, 'CONFLICT_ERROR', /taken-4711/);
    const elsewhere = await client.post('/connect', { platform: a }, { 'Idempotency-Key': 'taken-4711' });
    expectError(elsewhere, 409, 'CONFLICT_ERROR', /taken-4711/);
    expect(await decisions()).toHaveLength(1);
  });

  it('has one effect when fifty equal requests come at once, on two instances', async () => {
    for (let round = 1; round <= 3; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          send(`round-${round}`, about(String(round)), (at % 2 === 0 ? app : other).url),
        ),
      );
      const given = answers.filter(({ status }) => status === 200);
      expect(given.filter((answer) => !isReplay(answer))).toHaveLength(1);
      expect(new Set(given.map(({ text }) => text)).size).toBe(1);
      expect(given[0]?.body.data.effects.records_total).toBe(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expectError(answer, 409, 'CONFLICT_ERROR', /still under way/);
      }
      expect(await decisions()).toHaveLength(round);
    }
  });

  it('keeps the answer with the decision: both are there, or neither', async () => {
    await stored.query(`create function refuse_answers() returns trigger language plpgsql as
      $$ begin raise exception 'no answer today'; end $$`);
    await stored.query(`create trigger refuse_answers before update on idempotency_keys for each row
      when (new.body is not null and new.customer_id = '${customerId}') execute function refuse_answers()`);
    try {
      expect((await send('torn', about('1'))).status).toBe(500);
      expect(await decisions()).toEqual([]);
      expect(app.log.filter(({ level }) => level === 'error')).not.toEqual([]);
      (app.log as unknown[]).length = 0;
    } finally {
      await stored.query('drop trigger refuse_answers on idempotency_keys');
      await stored.query('drop function refuse_answers()');
    }
    expect((await send('torn', about('1'))).status).toBe(200);
    expect(await decisions()).toHaveLength(1);
  });

  it('has no effect when another request has taken its key over meanwhile', async () => {
    const holder = new Client({ connectionString: app.databaseUrl });
    await holder.connect();
    try {
      await holder.query('begin');
      await holder.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`customer ${customerId}`]);
      const first = send('lost', about('1'));
      while ((await keys()).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      await stored.query('update idempotency_keys set owner = gen_random_uuid() where customer_id = $1', [
        customerId,
      ]);
      await holder.query('rollback');
      expectError(await first, 409, 'CONFLICT_ERROR', /still under way/);
      expect(await decisions()).toEqual([]);
    } finally {
      await holder.end();
    }
  });

  it('gives refusals again, and keeps no 400', async () => {
    const first = await send('refused', about('77'));
    expectError(first, 404, 'NOT_FOUND');
    const again = await send('refused', about('77'));
    expectError(again, 404, 'NOT_FOUND', first.body.error.message);
    expect([isReplay(first), isReplay(again)]).toEqual([false, true]);
    await send('made', about('2'));
    expectError(await send('against', about('2', 'link')), 409, 'CONFLICT_ERROR', /standing decision/);
    expect(isReplay(await send('against', about('2', 'link')))).toBe(true);
    expectError(await send('careless', about('3', 'maybe')), 400, 'VALIDATION_ERROR');
    expect((await send('careless', about('3'))).status).toBe(200);
    expectError(await send('two words', about('3')), 400, 'VALIDATION_ERROR', /Idempotency-Key/);
  });

  it('withdraws once, and gives the effects again, on any instance', async () => {
    const made = await send('made', about('1'));
    const path = `/reconciliation/decisions/${made.body.data.id}`;
    const body = { reason: 'A slip', decided_by: 'Amal' };
    const end = (name: string, more: object = {}, url = app.url) =>
      api(url, key).send('DELETE', path, {
        body: { ...body, ...more },
        headers: { 'Idempotency-Key': name },
      });
    const tried = await end('tried', { dry_run: true });
    expect([tried.status, tried.body.data.dry_run]).toEqual([200, true]);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => end('ended', {}, (at % 2 === 0 ? app : other).url)),
    );
    const given = answers.filter(({ status }) => status === 200);
    expect(given.filter((answer) => !isReplay(answer))).toHaveLength(1);
    expect(new Set(given.map(({ text }) => text)).size).toBe(1);
    expect(given[0]?.body.data).toMatchObject({ status: 'withdrawn', effects: { records_total: 1 } });
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectError(answer, 409, 'CONFLICT_ERROR', /still under way/);
    }
    const again = await end('ended', {}, other.url);
    expect([again.text, isReplay(again)]).toEqual([given[0]?.text, true]);
    expect((await end('another')).body.data.effects.records_total).toBe(0);
    expectError(await end('ended', { reason: 'Another' }), 409, 'CONFLICT_ERROR', /ended/);
    expectError(await end('two words'), 400, 'VALIDATION_ERROR', /Idempotency-Key/);
  });

  it('gives a dry run again as it was, without any effect', async () => {
    const tried = await send('tried', about('1', 'not_same', { dry_run: true }));
    expect([tried.body.data.id, tried.body.data.dry_run]).toEqual([null, true]);
    expect(await decisions()).toEqual([]);
    await send('made', about('1'));
    const again = await send('tried', about('1', 'not_same', { dry_run: true }));
    expect([again.text, isReplay(again)]).toEqual([tried.text, true]);
    // The same without `dry_run` is another request.
    expectError(await send('tried', about('1')), 409, 'CONFLICT_ERROR', /tried/);
  });
});
