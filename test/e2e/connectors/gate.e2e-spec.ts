import { Client } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { Gate, type GateCaller } from '../../../src/platforms/live/pacing/gate';
import { GateShut, type Permit } from '../../../src/platforms/live/pacing/permit';
import type { GateRules } from '../../../src/platforms/live/pacing/rules';
import { GateClosed } from '../../../src/platforms/live/pacing/process-gate';
import { realTime } from '../../../src/platforms/live/time';
import type { Pooler } from '../../../src/database/schema/data-source';
import { DatabaseUnavailable } from '../../../src/database/connection/database-errors';
import { migrate } from '../../../src/database/schema/migrate';
import { Metrics } from '../../../src/runtime/metrics/metrics';
import { createDatabase, migratedDatabase, type TestDatabase } from '../../support/database';
import { openUnitOfWork, type OpenUnitOfWork } from '../database/open-unit-of-work';

jest.setTimeout(60_000);

const rules: GateRules = {
  atOnce: 3,
  windows: [{ name: 'short', limit: 1_000, lengthMs: 60_000, reserve: { calls: 10 } }],
  coolOff: { statuses: [429], firstMs: 60_000, mostMs: 60_000, marginMs: 250 },
};
const customerId = '6d0a3a1c-58b7-4a59-9a60-3c6f6f1f2b11';
const caller = { customerId, platform: 'platform_b', credential: 'one' } as const;
const neighbour = { ...caller, customerId: '7e1b4b2d-69c8-4b6a-8b71-4d707f203c22' };
const never = new AbortController().signal;
const ok = { status: 200, retryAfterMs: undefined, window: undefined };

describe('Gate', () => {
  let database: TestDatabase;
  let client: Client;
  const instances: { opened: OpenUnitOfWork; gate: Gate; metrics: Metrics }[] = [];

  beforeAll(async () => {
    database = await migratedDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  afterEach(async () => {
    for (const { gate, opened } of instances.splice(0)) {
      await gate.onApplicationShutdown();
      await opened.close();
    }
    await client.query('truncate platform_gates');
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  /** One more instance of the service. */
  const instance = async (url = database.url, pooler: Pooler = 'off', time = realTime) => {
    const opened = await openUnitOfWork(url, { poolSize: 4 }, pooler);
    const metrics = new Metrics();
    const gate = new Gate(opened.unitOfWork, metrics, { platform_a: rules, platform_b: rules }, time);
    const one = { opened, gate, metrics };
    instances.push(one);
    return one;
  };
  const stateNow = async (): Promise<Record<string, unknown[]>> => {
    const { rows } = await client.query<{ state: Record<string, unknown[]> }>(
      'select state from platform_gates where platform = $1',
      ['platform_b'],
    );
    return rows[0]?.state ?? {};
  };
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    while (!(await holds())) await sleep(10);
  };
  const isWaiting = async (promise: Promise<unknown>): Promise<boolean> =>
    (await Promise.race([promise.then(() => 'in'), sleep(300).then(() => 'waits')])) === 'waits';

  it('lets in no more at once than it may, whichever instance asks, and everybody at last', async () => {
    const gates = (await Promise.all([instance(), instance(), instance()])).map(({ gate }) => gate);
    let [inside, most, calls] = [0, 0, 0];
    const call = async (gate: Gate, index: number): Promise<void> => {
      const { signal } = new AbortController();
      const permit = await gate.enter(caller, index % 7 === 0 ? 'write' : 'read', signal);
      inside += 1;
      most = Math.max(most, inside);
      await sleep(2);
      inside -= 1;
      calls += 1;
      permit.leave(ok);
    };
    await Promise.all(
      gates.flatMap((gate) => Array.from({ length: 25 }, (_one, index) => call(gate, index))),
    );
    expect(calls).toBe(75);
    expect(most).toBe(3);
    await until(async () => (await stateNow())['inside']?.length === 0);
  });

  it('lets in those of one kind in their order', async () => {
    const { gate } = await instance();
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, async (_one, index) => {
        const permit = await gate.enter(caller, 'read', new AbortController().signal);
        order.push(index);
        permit.leave(ok);
      }),
    );
    expect(order).toEqual([...order].sort((one, other) => one - other));
  });

  it('lets a write of another instance in before reads that came earlier', async () => {
    const [reader, writer] = [await instance(), await instance()];
    const full = await Promise.all([1, 2, 3].map(() => reader.gate.enter(caller, 'read', never)));
    const order: string[] = [];
    const note = (name: string) => (permit: Permit) => {
      order.push(name);
      return permit;
    };
    const reads = [1, 2, 3].map(() => reader.gate.enter(caller, 'read', never).then(note('read')));
    const write = writer.gate.enter(caller, 'write', never).then(note('write'));
    await until(async () =>
      ((await stateNow())['waiting'] ?? []).some((one) => Reflect.get(Object(one), 'kind') === 'write'),
    );
    full[0]?.leave(ok);
    const written = await write;
    expect(order).toEqual(['write']);
    for (const permit of [...full, written]) permit.leave(ok);
    for (const entered of reads) (await entered).leave(ok);
  });

  it('hears of a pause from another instance', async () => {
    const [one, other] = [await instance(), await instance()];
    const permit = await one.gate.enter(caller, 'read', never);
    permit.leave({ ...ok, status: 429, retryAfterMs: 1_500 });
    await until(async () => Number((await stateNow())['pausedUntil']) > 0);
    const refusal = await other.gate.enter(caller, 'write', never, 100).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(GateShut);
    const { rows } = await client.query<{ clock: Date }>('select clock_timestamp() as clock');
    const ahead = (refusal as GateShut).until.getTime() - (rows[0]?.clock.getTime() ?? 0);
    expect(ahead).toBeGreaterThan(0);
    expect(ahead).toBeLessThan(3_000);
    // Whoever has patience comes in when it is over.
    (await other.gate.enter(caller, 'read', never)).leave(ok);
    const later = await client.query<{ past: boolean }>(
      `select (state->>'pausedUntil')::float8 / 1000 <= extract(epoch from clock_timestamp()) as past from platform_gates`,
    );
    expect(later.rows).toEqual([{ past: true }]);
  });

  it('frees the places of an instance that died', async () => {
    const [dead, alive] = [await instance(), await instance()];
    await Promise.all([1, 2, 3].map(() => dead.gate.enter(caller, 'read', never)));
    await dead.gate.onApplicationShutdown(); // It does nothing any more, and never says that its calls left.
    const next = alive.gate.enter(caller, 'read', never);
    await expect(isWaiting(next)).resolves.toBe(true);
    // Time passes for the gate: its moments move back.
    await client.query(
      `update platform_gates set state = jsonb_set(state::jsonb, '{inside}',
         (select jsonb_agg(jsonb_set(one, '{until}', '0')) from jsonb_array_elements(state::jsonb->'inside') as one))`,
    );
    (await next).leave(ok);
  });

  it('keeps the places of calls that take long', async () => {
    const quick = {
      ...realTime,
      sleep: (ms: number, signal: AbortSignal) => realTime.sleep(ms / 50, signal),
    };
    const { gate } = await instance(database.url, 'off', quick);
    const permit = await gate.enter(caller, 'read', never);
    const moment = async (): Promise<number> =>
      Number((await stateNow())['inside']?.map((one) => Reflect.get(Object(one), 'until'))[0]);
    const first = await moment();
    await until(async () => (await moment()) > first);
    permit.leave(ok);
  });

  it('ends a wait when the signal aborts, and lets others in', async () => {
    const { gate } = await instance();
    const full = await Promise.all([1, 2, 3].map(() => gate.enter(caller, 'read', never)));
    const controller = new AbortController();
    const given = gate.enter(caller, 'write', controller.signal);
    await until(async () => (await stateNow())['waiting']?.length === 1);
    controller.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    await until(async () => (await stateNow())['waiting']?.length === 0);
    await expect(gate.enter(caller, 'read', controller.signal)).rejects.toThrow('enough');
    for (const permit of full) permit.leave(ok);
  });

  it('tells one without patience at once, also behind one who waits', async () => {
    const { gate } = await instance();
    (await gate.enter(caller, 'read', never)).leave({ ...ok, status: 429 });
    const controller = new AbortController();
    const patient = gate.enter(caller, 'write', controller.signal);
    await expect(isWaiting(patient)).resolves.toBe(true);
    await expect(gate.enter(caller, 'write', never, 1_000)).rejects.toThrow(GateShut);
    controller.abort(new Error('enough'));
    await expect(patient).rejects.toThrow('enough');
  });

  it('gives up when its patience is over, although nobody knows how long it takes', async () => {
    const { gate } = await instance();
    const full = await Promise.all([1, 2, 3].map(() => gate.enter(caller, 'read', never)));
    await expect(gate.enter(caller, 'write', never, 150)).rejects.toThrow(GateShut);
    for (const permit of full) permit.leave(ok);
  });

  it('has one gate for each credential of a platform, whichever customers use it', async () => {
    const { gate } = await instance();
    const full = await Promise.all([1, 2, 3].map(() => gate.enter(caller, 'read', never)));
    const others = [
      await gate.enter({ ...caller, platform: 'platform_a' }, 'read', never),
      await gate.enter({ ...caller, credential: 'other' }, 'read', never),
    ];
    const next = gate.enter(neighbour, 'read', never);
    await expect(isWaiting(next)).resolves.toBe(true);
    for (const permit of [...full, ...others]) permit.leave(ok);
    (await next).leave(ok);
    await until(async () => (await stateNow())['inside']?.length === 0);
    const { rows } = await client.query('select platform, credential from platform_gates order by 1, 2');
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
    const call = async (gate: Gate, whose: GateCaller): Promise<void> => {
      const permit = await gate.enter(whose, 'read', new AbortController().signal);
      await sleep(2);
      permit.leave(ok);
    };
    // So many that the places are never free, and each that leaves brings the next one with it.
    const flood = Array.from({ length: 12 }, async () => {
      for (; !ended; calls += 1) await call(busy.gate, caller);
    });
    await until(() => Promise.resolve(calls > 20));
    // The places of those that end go to the next of the same instance, but for one, which is kept for this one.
    for (let index = 0; index < 10; index += 1) await call(quiet.gate, neighbour);
    const meanwhile = calls;
    await until(() => Promise.resolve(calls > meanwhile + 20));
    ended = true;
    await Promise.all(flood);
  });

  it('works behind a transaction pooler', async () => {
    const { gate } = await instance(database.url, 'transaction');
    const permits = await Promise.all([1, 2, 3].map(() => gate.enter(caller, 'write', never)));
    for (const permit of permits) permit.leave(ok);
    await until(async () => (await stateNow())['inside']?.length === 0);
  });

  it('lets nobody in while the database is away, and goes on when it is back', async () => {
    const own = await createDatabase();
    const { gate } = await instance(own.url);
    // Not migrated: there is no table to ask.
    await expect(gate.enter(caller, 'read', never)).rejects.toThrow(/platform_gates/);
    await migrate(own.url);
    (await gate.enter(caller, 'read', never)).leave(ok);
    await own.drop();
    await expect(gate.enter(caller, 'read', never)).rejects.toThrow(DatabaseUnavailable);
  });

  it('turns away who waits when the service stops', async () => {
    const { gate } = await instance();
    (await gate.enter(caller, 'read', never)).leave({ ...ok, status: 429 });
    const waiting = gate.enter(caller, 'read', never);
    await expect(isWaiting(waiting)).resolves.toBe(true);
    await Promise.all([expect(waiting).rejects.toThrow(GateClosed), gate.onApplicationShutdown()]);
    await expect(gate.enter(caller, 'read', never)).rejects.toThrow(GateClosed);
  });

  it('forgets gates that nobody has visited for a day, when it makes one', async () => {
    const { gate } = await instance();
    (await gate.enter(caller, 'read', never)).leave(ok);
    (await gate.enter({ ...caller, credential: 'recent' }, 'read', never)).leave(ok);
    await until(async () => {
      const { rows } = await client.query<{ inside: number }>(
        `select sum(json_array_length(state->'inside'))::int as inside from platform_gates`,
      );
      return rows[0]?.inside === 0;
    });
    await client.query(
      `update platform_gates set visited_at = now() - interval '25 hours' where credential = 'one'`,
    );
    (await gate.enter({ ...caller, credential: 'new' }, 'read', never)).leave(ok);
    const { rows } = await client.query('select credential from platform_gates order by 1');
    expect(rows).toEqual([{ credential: 'new' }, { credential: 'recent' }]);
  });

  it('measures the waits', async () => {
    const { gate, metrics } = await instance();
    (await gate.enter(caller, 'write', never)).leave(ok);
    const text = await metrics.registry.metrics();
    expect(text).toContain(
      'translation_platform_gate_wait_seconds_count{platform="platform_b",kind="write"} 1',
    );
  });
});
