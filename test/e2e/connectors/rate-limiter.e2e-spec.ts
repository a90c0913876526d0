import { Client } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { RateLimiter, type LimiterCaller } from '../../../src/platforms/live/pacing/rate-limiter';
import { RateLimitWaitTooLong, type Permit } from '../../../src/platforms/live/pacing/permit';
import type { RateLimitRules } from '../../../src/platforms/live/pacing/rules';
import { RateLimiterStopped } from '../../../src/platforms/live/pacing/process-limiter';
import { realTime } from '../../../src/platforms/live/time';
import type { Pooler } from '../../../src/database/connection/data-source';
import { DatabaseUnavailable } from '../../../src/database/connection/database-errors';
import { Metrics } from '../../../src/runtime/metrics/metrics';
import { migratedDatabase, type TestDatabase } from '../../support/database/database';
import { openUnitOfWork, type OpenUnitOfWork } from '../database/open-unit-of-work';
import { never } from '../../support/this-process/never';

jest.setTimeout(60_000);

const rules: RateLimitRules = {
  mostAtOnce: 3,
  windows: [{ name: 'short', limit: 1_000, lengthMs: 60_000, reserve: { calls: 10 } }],
  coolOff: { statuses: [429], firstMs: 60_000, mostMs: 60_000, marginMs: 250 },
};
const customerId = '6d0a3a1c-58b7-4a59-9a60-3c6f6f1f2b11';
const caller = { customerId, platform: 'platform_b', credential: 'one' } as const;
const neighbour = { ...caller, customerId: '7e1b4b2d-69c8-4b6a-8b71-4d707f203c22' };
const ok = { status: 200, retryAfterMs: undefined, window: undefined };

describe('RateLimiter', () => {
  let database: TestDatabase;
  let client: Client;
  const instances: { opened: OpenUnitOfWork; limiter: RateLimiter; metrics: Metrics }[] = [];

  beforeAll(async () => {
    database = await migratedDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  afterEach(async () => {
    for (const { limiter, opened } of instances.splice(0)) {
      await limiter.onApplicationShutdown();
      await opened.close();
    }
    await client.query('truncate platform_rate_limiters');
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  /** One more instance of the service. */
  const instance = async (url = database.url, pooler: Pooler = 'off', time = realTime) => {
    const opened = await openUnitOfWork(url, { poolSize: 4 }, pooler);
    const metrics = new Metrics();
    const limiter = new RateLimiter(
      opened.unitOfWork,
      metrics,
      { platform_a: rules, platform_b: rules },
      time,
    );
    const one = { opened, limiter, metrics };
    instances.push(one);
    return one;
  };
  const stateNow = async (): Promise<Record<string, unknown[]>> => {
    const { rows } = await client.query<{ state: Record<string, unknown[]> }>(
      'select state from platform_rate_limiters where platform = $1',
      ['platform_b'],
    );
    return rows[0]?.state ?? {};
  };
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    while (!(await holds())) await sleep(10);
  };
  const isWaiting = async (promise: Promise<unknown>): Promise<boolean> =>
    (await Promise.race([promise.then(() => 'in'), sleep(300).then(() => 'waits')])) === 'waits';

  it('allows no more calls at once than the limit, over all instances, and every call in the end', async () => {
    const limiters = (await Promise.all([instance(), instance(), instance()])).map(({ limiter }) => limiter);
    let [inside, most, calls] = [0, 0, 0];
    const call = async (limiter: RateLimiter, index: number): Promise<void> => {
      const { signal } = new AbortController();
      const permit = await limiter.acquire(caller, index % 7 === 0 ? 'write' : 'read', signal);
      inside += 1;
      most = Math.max(most, inside);
      await sleep(2);
      inside -= 1;
      calls += 1;
      permit.release(ok);
    };
    await Promise.all(
      limiters.flatMap((limiter) => Array.from({ length: 25 }, (_one, index) => call(limiter, index))),
    );
    expect(calls).toBe(75);
    expect(most).toBe(3);
    await until(async () => (await stateNow())['inside']?.length === 0);
  });

  it('permits calls of one kind in order', async () => {
    const { limiter } = await instance();
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, async (_one, index) => {
        const permit = await limiter.acquire(caller, 'read', new AbortController().signal);
        order.push(index);
        permit.release(ok);
      }),
    );
    expect(order).toEqual([...order].sort((one, other) => one - other));
  });

  it('permits a write of another instance before earlier reads', async () => {
    const [reader, writer] = [await instance(), await instance()];
    const full = await Promise.all([1, 2, 3].map(() => reader.limiter.acquire(caller, 'read', never)));
    const order: string[] = [];
    const note = (name: string) => (permit: Permit) => {
      order.push(name);
      return permit;
    };
    const reads = [1, 2, 3].map(() => reader.limiter.acquire(caller, 'read', never).then(note('read')));
    const write = writer.limiter.acquire(caller, 'write', never).then(note('write'));
    await until(async () => {
      const kinds = ((await stateNow())['waiting'] ?? []).map((one): unknown =>
        Reflect.get(Object(one), 'kind'),
      );
      return ['read', 'write'].every((kind) => kinds.includes(kind));
    });
    full[0]?.release(ok);
    const written = await write;
    expect(order).toEqual(['write']);
    for (const permit of [...full, written]) permit.release(ok);
    for (const entered of reads) (await entered).release(ok);
  });

  it('learns of a pause from another instance', async () => {
    const [one, other] = [await instance(), await instance()];
    const permit = await one.limiter.acquire(caller, 'read', never);
    permit.release({ ...ok, status: 429, retryAfterMs: 600_000 });
    await until(async () => Number((await stateNow())['pausedUntil']) > 0);
    const refusal = await other.limiter.acquire(caller, 'write', never, 100).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(RateLimitWaitTooLong);
    const { rows } = await client.query<{ clock: Date }>('select clock_timestamp() as clock');
    const ahead = (refusal as RateLimitWaitTooLong).until.getTime() - (rows[0]?.clock.getTime() ?? 0);
    expect(ahead).toBeGreaterThan(0);
    expect(ahead).toBeLessThan(601_500);
    // Time passes for the rate limiter: the pause is nearly over.
    await client.query(
      `update platform_rate_limiters set state = jsonb_set(state::jsonb, '{pausedUntil}',
         to_jsonb((extract(epoch from clock_timestamp()) * 1000)::bigint + 300))`,
    );
    // A caller that waits long enough gets in when the pause is over.
    (await other.limiter.acquire(caller, 'read', never)).release(ok);
    const later = await client.query<{ past: boolean }>(
      `select (state->>'pausedUntil')::float8 / 1000 <= extract(epoch from clock_timestamp()) as past from platform_rate_limiters`,
    );
    expect(later.rows).toEqual([{ past: true }]);
  });

  it('frees the places of an instance that died', async () => {
    const [dead, alive] = [await instance(), await instance()];
    await Promise.all([1, 2, 3].map(() => dead.limiter.acquire(caller, 'read', never)));
    await dead.limiter.onApplicationShutdown(); // It does nothing any more, and never says that its calls left.
    const next = alive.limiter.acquire(caller, 'read', never);
    await expect(isWaiting(next)).resolves.toBe(true);
    // Time passes for the rate limiter: its moments move back.
    await client.query(
      `update platform_rate_limiters set state = jsonb_set(state::jsonb, '{inside}',
         (select jsonb_agg(jsonb_set(one, '{until}', '0')) from jsonb_array_elements(state::jsonb->'inside') as one))`,
    );
    (await next).release(ok);
  });

  it('keeps the places of calls that take long', async () => {
    const quick = {
      ...realTime,
      sleep: (ms: number, signal: AbortSignal) => realTime.sleep(ms / 50, signal),
    };
    const { limiter } = await instance(database.url, 'off', quick);
    const permit = await limiter.acquire(caller, 'read', never);
    const moment = async (): Promise<number> =>
      Number((await stateNow())['inside']?.map((one) => Reflect.get(Object(one), 'until'))[0]);
    const first = await moment();
    await until(async () => (await moment()) > first);
    permit.release(ok);
  });

  it('ends a wait when the signal aborts, and permits other calls', async () => {
    const { limiter } = await instance();
    const full = await Promise.all([1, 2, 3].map(() => limiter.acquire(caller, 'read', never)));
    const controller = new AbortController();
    const given = limiter.acquire(caller, 'write', controller.signal);
    await until(async () => (await stateNow())['waiting']?.length === 1);
    controller.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    await until(async () => (await stateNow())['waiting']?.length === 0);
    await expect(limiter.acquire(caller, 'read', controller.signal)).rejects.toThrow('enough');
    for (const permit of full) permit.release(ok);
  });

  it('refuses at once a caller that may not wait, also behind a waiting one', async () => {
    const { limiter } = await instance();
    (await limiter.acquire(caller, 'read', never)).release({ ...ok, status: 429 });
    const controller = new AbortController();
    const patient = limiter.acquire(caller, 'write', controller.signal);
    await expect(isWaiting(patient)).resolves.toBe(true);
    await expect(limiter.acquire(caller, 'write', never, 1_000)).rejects.toThrow(RateLimitWaitTooLong);
    controller.abort(new Error('enough'));
    await expect(patient).rejects.toThrow('enough');
  });

  it('gives up at the end of its time, even when the length of the wait is unknown', async () => {
    const { limiter } = await instance();
    const full = await Promise.all([1, 2, 3].map(() => limiter.acquire(caller, 'read', never)));
    await expect(limiter.acquire(caller, 'write', never, 150)).rejects.toThrow(RateLimitWaitTooLong);
    for (const permit of full) permit.release(ok);
  });

  it('has one rate limiter for each credential of a platform, whichever customers use it', async () => {
    const { limiter } = await instance();
    const full = await Promise.all([1, 2, 3].map(() => limiter.acquire(caller, 'read', never)));
    const others = [
      await limiter.acquire({ ...caller, platform: 'platform_a' }, 'read', never),
      await limiter.acquire({ ...caller, credential: 'other' }, 'read', never),
    ];
    const next = limiter.acquire(neighbour, 'read', never);
    await expect(isWaiting(next)).resolves.toBe(true);
    for (const permit of [...full, ...others]) permit.release(ok);
    (await next).release(ok);
    await until(async () => (await stateNow())['inside']?.length === 0);
    const { rows } = await client.query(
      'select platform, credential from platform_rate_limiters order by 1, 2',
    );
    expect(rows).toEqual([
      { platform: 'platform_a', credential: 'one' },
      { platform: 'platform_b', credential: 'one' },
      { platform: 'platform_b', credential: 'other' },
    ]);
  });

  it('lets customers of two instances take turns, however many calls one of them has', async () => {
    const [busy, quiet] = [await instance(), await instance()];
    let calls = 0;
    let ended = false;
    const call = async (limiter: RateLimiter, whose: LimiterCaller): Promise<void> => {
      const permit = await limiter.acquire(whose, 'read', new AbortController().signal);
      await sleep(2);
      permit.release(ok);
    };
    // So many that the places are never free, and each that leaves brings the next one with it.
    const flood = Array.from({ length: 12 }, async () => {
      for (; !ended; calls += 1) await call(busy.limiter, caller);
    });
    await until(() => Promise.resolve(calls > 20));
    // The places of those that end go to the next of the same instance, but for one, which is kept for this one.
    for (let index = 0; index < 10; index += 1) await call(quiet.limiter, neighbour);
    const meanwhile = calls;
    await until(() => Promise.resolve(calls > meanwhile + 20));
    ended = true;
    await Promise.all(flood);
  });

  it('works behind a transaction pooler', async () => {
    const { limiter } = await instance(database.url, 'transaction');
    const permits = await Promise.all([1, 2, 3].map(() => limiter.acquire(caller, 'write', never)));
    for (const permit of permits) permit.release(ok);
    await until(async () => (await stateNow())['inside']?.length === 0);
  });

  it('grants no permit while the database is down, and continues when it is back', async () => {
    const own = await migratedDatabase();
    const operator = new Client({ connectionString: own.url });
    await operator.connect();
    await operator.query('alter table platform_rate_limiters rename to hidden_rate_limiters');
    const { limiter } = await instance(own.url);
    // As in a database without this migration: there is no table to ask.
    await expect(limiter.acquire(caller, 'read', never)).rejects.toThrow(/platform_rate_limiters/);
    await operator.query('alter table hidden_rate_limiters rename to platform_rate_limiters');
    await operator.end();
    (await limiter.acquire(caller, 'read', never)).release(ok);
    await own.drop();
    await expect(limiter.acquire(caller, 'read', never)).rejects.toThrow(DatabaseUnavailable);
  });

  it('refuses waiting calls when the service stops', async () => {
    const { limiter } = await instance();
    (await limiter.acquire(caller, 'read', never)).release({ ...ok, status: 429 });
    const waiting = limiter.acquire(caller, 'read', never);
    await expect(isWaiting(waiting)).resolves.toBe(true);
    await Promise.all([expect(waiting).rejects.toThrow(RateLimiterStopped), limiter.onApplicationShutdown()]);
    await expect(limiter.acquire(caller, 'read', never)).rejects.toThrow(RateLimiterStopped);
  });

  it('deletes limiters that were unused for a day when it creates a new one', async () => {
    const { limiter } = await instance();
    (await limiter.acquire(caller, 'read', never)).release(ok);
    (await limiter.acquire({ ...caller, credential: 'recent' }, 'read', never)).release(ok);
    await until(async () => {
      const { rows } = await client.query<{ inside: number }>(
        `select sum(json_array_length(state->'inside'))::int as inside from platform_rate_limiters`,
      );
      return rows[0]?.inside === 0;
    });
    await client.query(
      `update platform_rate_limiters set visited_at = now() - interval '25 hours' where credential = 'one'`,
    );
    (await limiter.acquire({ ...caller, credential: 'new' }, 'read', never)).release(ok);
    const { rows } = await client.query('select credential from platform_rate_limiters order by 1');
    expect(rows).toEqual([{ credential: 'new' }, { credential: 'recent' }]);
  });

  it('measures the waits', async () => {
    const { limiter, metrics } = await instance();
    (await limiter.acquire(caller, 'write', never)).release(ok);
    const text = await metrics.registry.metrics();
    expect(text).toContain(
      'translation_platform_rate_limiter_wait_seconds_count{platform="platform_b",kind="write"} 1',
    );
  });
});
