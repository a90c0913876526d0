import { Client } from 'pg';
import { Clock } from '../../../src/runtime/clock/clock';
import { KeyRetention } from '../../../src/common/idempotency/key-retention';
import { PropagateWait } from '../../../src/propagate/propagate.service';
import { api, type ApiResponse } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { startDatabaseProxy } from '../../support/database/database-proxy';
import { expectError, isReplay } from '../../support/app/expectations';
import { portfolios, type Portfolio, type Portfolios, ON_A } from '../../support/customers/portfolio';

jest.setTimeout(60_000);

const DAY = 86_400_000;

const noteOf = (notes: string, platform_id = ON_A) => ({
  format: 'platform',
  platform: 'platform_a',
  platform_id,
  entity_type: 'payment',
  data: { notes },
});

describe('POST /propagate with an Idempotency-Key', () => {
  let app: RunningApp;
  let other: RunningApp;
  let all: Portfolios;
  let portfolio: Portfolio;
  beforeAll(async () => {
    app = await startApp();
    other = await startApp({ databaseUrl: app.databaseUrl });
    all = await portfolios(app);
  });
  beforeEach(async () => {
    portfolio = await all.open();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    expect(app.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
  afterAll(async () => {
    await all.close();
    await other.close();
    await app.close();
  });

  const send = (key: string, body: object, { client }: Portfolio = portfolio) =>
    client.post('/propagate', body, { 'Idempotency-Key': key });
  const keys = () =>
    portfolio.sql<{ key: string; status: number | null; lease_until: Date | null }>(
      'select key, status, lease_until from idempotency_keys where customer_id = $1 order by key',
      [portfolio.customerId],
    );

  it('has its effect once, and gives the same answer again, on any instance', async () => {
    const first = await send('one', noteOf('once'));
    expect(first.status).toBe(200);
    expect(first.body.data.propagated).toMatchObject({
      platform_a: { status: 'applied' },
      platform_b: { status: 'applied' },
    });
    expect(isReplay(first)).toBe(false);
    await portfolio.native('platform_a', 'payment', ON_A, { notes: 'meanwhile' });
    const stored = await portfolio.stored();
    for (const { url } of [app, other, app]) {
      const again = await api(url, portfolio.key).post('/propagate', noteOf('once'), {
        'Idempotency-Key': 'one',
      });
      expect({ status: again.status, text: again.text }).toEqual({ status: first.status, text: first.text });
      expect(isReplay(again)).toBe(true);
      expect(again.headers.get('X-Request-ID')).not.toBe(first.headers.get('X-Request-ID'));
    }
    expect(await portfolio.stored()).toEqual(stored);
    expect(await portfolio.accounts()).toHaveLength(2);
  });

  it('keeps the answer to a change that changes nothing', async () => {
    await portfolio.native('platform_a', 'payment', ON_A, { notes: 'same' });
    const first = await send('nothing', noteOf('same'));
    expect(first.body.data.canonical.updated_fields).toEqual([]);
    await portfolio.native('platform_a', 'payment', ON_A, { notes: 'changed' });
    const again = await send('nothing', noteOf('same'));
    expect([again.text, isReplay(again)]).toEqual([first.text, true]);
    expect((await portfolio.find('platform_a', 'payment', ON_A)).platform_data.notes).toBe('changed');
  });

  it('knows the keys of each customer apart', async () => {
    const neighbour = await all.open();
    await send('shared', noteOf('mine'));
    const theirs = await send('shared', noteOf('theirs'), neighbour);
    expect([theirs.status, isReplay(theirs)]).toEqual([200, false]);
    expect((await neighbour.find('platform_a', 'payment', ON_A)).platform_data.notes).toBe('theirs');
  });

  describe('where a customer has no room for further keys', () => {
    const ROOM = 32;
    let small: RunningApp;
    beforeAll(async () => {
      small = await startApp({ databaseUrl: app.databaseUrl, idempotencyKeys: ROOM });
    });
    afterAll(() => small.close());

    const sendSmall = (key: string, { key: apiKey }: Portfolio = portfolio) =>
      api(small.url, apiKey).post('/propagate', noteOf('more'), { 'Idempotency-Key': key });
    const fill = (count: number, body: string) =>
      portfolio.sql(
        `insert into idempotency_keys (customer_id, key, digest, owner, status, body, created_at)
         select $1, 'full-' || n, 'd', gen_random_uuid(), 200, $3, now() - interval '1 hour'
         from generate_series(1, $2::int) n`,
        [portfolio.customerId, count, body],
      );
    /** New keys, one after the other, until one gets another answer than the first. */
    const sendUntil = async (status: number, prefix = 'next'): Promise<ApiResponse> => {
      for (let place = 0; place < 200; place += 1) {
        const answer = await sendSmall(`${prefix}-${place}`);
        if (answer.status === status) return answer;
      }
      throw new Error(`No answer was ${status}`);
    };

    it.each([
      ['keys', ROOM - 1, '{}'],
      ['bytes of answers', 1, 'x'.repeat(ROOM * 4_096)],
    ])('by their %s, refuses a new one, and still replays the others', async (_name, count, body) => {
      await fill(count, body);
      const first = await sendSmall('first');
      const refused = await sendUntil(409);
      expectError(refused, 409, 'CONFLICT_ERROR', /there is room for; nothing was done/);
      const seconds = Number(refused.headers.get('Retry-After'));
      expect([seconds > 22 * 3_600, seconds <= 23 * 3_600]).toEqual([true, true]);
      const accounts = await portfolio.accounts();
      expect((await sendSmall('refused')).status).toBe(409);
      expect(await portfolio.accounts()).toEqual(accounts);
      const again = await sendSmall('first');
      expect([again.status, again.text, isReplay(again)]).toEqual([200, first.text, true]);
      expect((await sendSmall('first', await all.open())).status).toBe(200);
    });

    it('counts an expired key that is used again like a new one', async () => {
      await portfolio.sql(
        `insert into idempotency_keys (customer_id, key, digest, owner, status, body, created_at)
         select $1, 'old-' || n, 'd', gen_random_uuid(), 200, '{}', now() - interval '25 hours'
         from generate_series(0, 199) n`,
        [portfolio.customerId],
      );
      expect(isReplay(await sendSmall('old-0'))).toBe(false);
      expectError(await sendUntil(409, 'old'), 409, 'CONFLICT_ERROR', /there is room for; nothing was done/);
    });

    it('has room again when keys have gone', async () => {
      await fill(ROOM, '{}');
      await sendUntil(409);
      await portfolio.sql(`delete from idempotency_keys where customer_id = $1 and key like 'full-%'`, [
        portfolio.customerId,
      ]);
      const real = new Date().getTime();
      jest.spyOn(small.app.get(Clock), 'now').mockImplementation(() => new Date(real + 20_000));
      expect(isReplay(await sendUntil(200, 'again'))).toBe(false);
    });
  });

  it('takes a body for the same whose members are in another order', async () => {
    const body = noteOf('ordered');
    await send('ordered', body);
    const again = await send('ordered', Object.fromEntries(Object.entries(body).reverse()));
    expect([again.status, isReplay(again)]).toEqual([200, true]);
  });

  it('refuses the key for another body or path with 409, naming it', async () => {
    await send('taken-4711', noteOf('first'));
    const message =
      'The Idempotency-Key taken-4711 was used for another request; a new request needs a new key';
    expectError(await send('taken-4711', noteOf('second')), 409, 'CONFLICT_ERROR', message);
    const connect = await portfolio.client.post(
      '/connect',
      { platform: 'platform_a' },
      { 'Idempotency-Key': 'taken-4711' },
    );
    expectError(connect, 409, 'CONFLICT_ERROR', message);
    expect((await portfolio.find('platform_a', 'payment', ON_A)).platform_data.notes).toBe('first');
  });

  it('refuses a key of another form with 400, naming the header', async () => {
    for (const key of ['', ' ', 'two words', 'é', '\t', 'k'.repeat(256)]) {
      expectError(await send(key, noteOf('never')), 400, 'VALIDATION_ERROR', /Idempotency-Key/);
    }
    for (const key of ['k'.repeat(255), '!"#$%&\'()*+,-./0:;<=>?@A[\\]^_`a{|}~']) {
      expect((await send(key, noteOf('fits'))).status).toBe(200);
    }
    expect(await keys()).toHaveLength(2);
  });

  it.each([
    [404, 'NOT_FOUND', noteOf('x', 'nobody')],
    [422, 'TRANSFORM_ERROR', { ...noteOf(''), data: { amount: '12.345' } }],
    [409, 'CONFLICT_ERROR', { ...noteOf(''), data: { check_number: 'ACH-55120' } }],
  ])('gives a refusal of %i again', async (status, type, body) => {
    if (status === 409) {
      await portfolio.native('platform_a', 'payment', '1823502', { check_number: 'ACH-55120' });
    }
    const first = await send('refused', body);
    expectError(first, status, type);
    const again = await send('refused', body);
    expectError(again, status, type, first.body.error.message);
    expect([isReplay(first), isReplay(again)]).toEqual([false, true]);
    expect(again.body.error.request_id).toBe(again.headers.get('X-Request-ID'));
    expect((await keys())[0]).toEqual({ key: 'refused', status, lease_until: null });
  });

  it('does not keep 400 and 401: the key can be used for the corrected request', async () => {
    expectError(await send('careless', { ...noteOf('x'), entity_type: 'boat' }), 400, 'VALIDATION_ERROR');
    expectError(await send('careless', { ...noteOf('x'), data: { id: 5 } }), 400, 'VALIDATION_ERROR');
    const stranger = api(app.url, `${portfolio.key.slice(0, -4)}0000`);
    const unknown = await stranger.post('/propagate', noteOf('x'), { 'Idempotency-Key': 'careless' });
    expectError(unknown, 401, 'AUTHENTICATION_ERROR');
    expect(await keys()).toEqual([]);
    const right = await send('careless', noteOf('right'));
    expect([right.status, isReplay(right)]).toEqual([200, false]);
  });

  it('does not keep 502', async () => {
    const proxy = await startDatabaseProxy(app.databaseUrl);
    const shaky = await startApp({ databaseUrl: proxy.url });
    try {
      const client = api(shaky.url, portfolio.key);
      const headers = { 'Idempotency-Key': 'shaky' };
      expect((await client.get('/connections')).status).toBe(200);
      await proxy.stop();
      expectError(await client.post('/propagate', noteOf('shaky'), headers), 502, 'EXTERNAL_SERVICE_ERROR');
      await proxy.restore();
      const again = await client.post('/propagate', noteOf('shaky'), headers);
      expect([again.status, isReplay(again)]).toEqual([200, false]);
    } finally {
      await shaky.close();
      await proxy.stop();
    }
  });

  it('does not keep that other work is under way', async () => {
    const holder = new Client({ connectionString: app.databaseUrl });
    await holder.connect();
    const wait = app.app.get(PropagateWait, { strict: false });
    const { lockMilliseconds } = wait;
    wait.lockMilliseconds = 5_000;
    try {
      await holder.query('begin');
      await holder.query('select 1 from canonical_objects where customer_id = $1 for update', [
        portfolio.customerId,
      ]);
      // The first request waits as long as it may. Requests that come meanwhile do not wait.
      const first = send('patient', noteOf('patient'));
      while ((await keys()).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      const meanwhile = await Promise.all(
        [app, other].map(({ url }) =>
          api(url, portfolio.key).post('/propagate', noteOf('patient'), { 'Idempotency-Key': 'patient' }),
        ),
      );
      for (const answer of meanwhile) {
        expectError(answer, 409, 'CONFLICT_ERROR', /Idempotency-Key is still under way/);
        expect(answer.headers.get('Retry-After')).toBe('1');
      }
      const refused = await first;
      expectError(refused, 409, 'CONFLICT_ERROR', /Other work/);
      expect(refused.headers.get('Retry-After')).toBe('1');
    } finally {
      wait.lockMilliseconds = lockMilliseconds;
      await holder.query('rollback');
      await holder.end();
    }
    expect(await keys()).toEqual([]);
    expect((await send('patient', noteOf('patient'))).status).toBe(200);
  });

  it('has one effect when fifty equal requests come at once, on two instances', async () => {
    for (let round = 0; round < 4; round += 1) {
      const body = noteOf(`round ${round}`);
      const headers = { 'Idempotency-Key': `round-${round}` };
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          api((at % 2 === 0 ? app : other).url, portfolio.key).post('/propagate', body, headers),
        ),
      );
      const given = answers.filter(({ status }) => status === 200);
      expect(given.filter((answer) => !isReplay(answer))).toHaveLength(1);
      expect(new Set(given.map(({ text }) => text)).size).toBe(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expectError(answer, 409, 'CONFLICT_ERROR', /still under way/);
      }
      expect(await portfolio.accounts()).toHaveLength(round + 1);
    }
  });

  it('forgets a key after 24 hours, and removes it then', async () => {
    await send('daily', noteOf('Monday'));
    const age = (milliseconds: number) =>
      portfolio.sql(
        `update idempotency_keys set created_at = now() - $2 * interval '1 millisecond'
         where customer_id = $1 and key = 'daily'`,
        [portfolio.customerId, milliseconds],
      );
    await age(DAY - 60_000);
    expect(isReplay(await send('daily', noteOf('Monday')))).toBe(true);
    expectError(await send('daily', noteOf('Tuesday')), 409, 'CONFLICT_ERROR', /daily/);
    await age(DAY + 60_000);
    const next = await send('daily', noteOf('Tuesday'));
    expect([next.status, isReplay(next)]).toEqual([200, false]);
    expect(isReplay(await send('daily', noteOf('Tuesday')))).toBe(true);

    const retention = app.app.get(KeyRetention, { strict: false });
    await age(DAY - 60_000);
    await retention.purge();
    expect(await keys()).toHaveLength(1);
    await age(DAY + 60_000);
    await retention.purge();
    expect(await keys()).toEqual([]);
  });

  it('leaves nothing of a demo customer', async () => {
    await send('gone', noteOf('gone'));
    expect((await portfolio.client.delete('/demo/session')).status).toBe(204);
    expect(await keys()).toEqual([]);
  });
});
