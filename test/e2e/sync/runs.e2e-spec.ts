import type { SourceRecord } from '../../../src/platforms/connector';
import { RunReaper } from '../../../src/sync/execution/run-reaper';
import { SyncTimes } from '../../../src/sync/schedule/sync-times';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { latch } from '../../support/this-process/latch';
import { connect, listing } from '../../support/customers/listings';
import { until } from '../../support/live/live-work';
import { untilCallersWait, untilRunHasRead } from '../../support/app/run-callers';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(60_000);

const projects = (from: number, to: number): SourceRecord[] =>
  Array.from({ length: to - from }, (_, index) =>
    record('project', { id: from + index + 1, project_number: `P-${from + index}` }),
  );

describe('a connect is a run', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let other: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({}, [], sources);
    other = await startApp({ databaseUrl: service.databaseUrl });
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterEach(() => {
    for (const instance of [service, other]) waitOf(instance, new SyncTimes().wait);
  });
  afterAll(async () => {
    await stored.close();
    await other.close();
    await service.close();
  });

  const runsOf = (customerId: string) =>
    stored.query<{ status: string; id: string }>(
      'select id, status from sync_runs where customer_id = $1 order by started_at',
      [customerId],
    );
  const stagedOf = async (customerId: string): Promise<number> => {
    const rows = await stored.query(
      'select 1 from staged_records where customer_id = $1 union all select 1 from sync_checkpoints where customer_id = $1',
      [customerId],
    );
    return rows.length;
  };

  /** How long callers of an instance wait for the end of a run, in milliseconds. */
  function waitOf({ app }: RunningApp, milliseconds: number): void {
    app.get(SyncTimes, { strict: false }).wait = milliseconds;
  }

  /** A platform that hands out one page and then waits. */
  async function slowPlatform() {
    const { key, customerId } = await service.openSession();
    const [arrived, goOn] = [latch(), latch()];
    let readings = 0;
    sources.give(customerId, 'platform_a', async function* () {
      readings += 1;
      yield* projects(0, 500);
      arrived.open();
      await goOn.opened;
      yield* projects(500, 600);
    });
    return { key, customerId, arrived: arrived.opened, goOn: goOn.open, readings: () => readings };
  }

  it('that 200 callers share, on two instances, with one answer', async () => {
    const { key, customerId, arrived, goOn } = await slowPlatform();
    const [here, there] = [api(service.url, key), api(other.url, key)];
    const first = here.post('/connect', { platform: 'platform_a' });
    await arrived;
    await untilRunHasRead(other, key, 'platform_a', ['projects', 500]);
    const callers = Array.from({ length: 200 }, (_, index) =>
      (index % 10 === 0 ? there : here).post('/connect', { platform: 'platform_a' }),
    );
    await untilCallersWait(service, 181);
    await untilCallersWait(other, 20);
    goOn();
    const answers = await Promise.all([first, ...callers]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    for (const { body } of answers) expect(body.data.entities.projects).toBe(600);
    expect((await runsOf(customerId)).map(({ status }) => status)).toEqual(['done']);
  });

  it('whose answer waits for a limited time: 202 with the counts so far', async () => {
    const { key, customerId, arrived, goOn } = await slowPlatform();
    const client = api(service.url, key);
    const first = client.post('/connect', { platform: 'platform_a' });
    await arrived;
    await untilRunHasRead(service, key, 'platform_a', ['projects', 500]);
    waitOf(service, 300);
    const answer = await client.post('/connect', { platform: 'platform_a' });
    expect(answer.status).toBe(202);
    expect(answer.body.data).toEqual({
      platform: 'platform_a',
      status: 'connecting',
      entities: { projects: 500, customers: 0, contracts: 0, invoices: 0, payments: 0 },
      mode: 'sandbox',
    });
    expect((await client.get('/connections')).body.data.connections).toEqual([]);
    expect(await listing(client, 'platform_a', 'project')).toEqual([]);

    waitOf(service, 25_000);
    const second = client.post('/connect', { platform: 'platform_a' });
    await untilCallersWait(service, 2);
    goOn();
    for (const { body } of await Promise.all([first, second])) {
      expect(body.data).toMatchObject({ status: 'connected', entities: { projects: 600 } });
    }
    expect(await runsOf(customerId)).toHaveLength(1);
  });

  it('whose failure reaches callers on other instances', async () => {
    const { key, customerId } = await service.openSession();
    const [arrived, goOn] = [latch(), latch()];
    sources.give(customerId, 'platform_a', async function* () {
      yield* projects(0, 500);
      arrived.open();
      await goOn.opened;
      throw new Error('the platform hung up on token=hunter2');
    });
    const here = api(service.url, key).post('/connect', { platform: 'platform_a' });
    await arrived.opened;
    await untilRunHasRead(other, key, 'platform_a', ['projects', 500]);
    const there = api(other.url, key).post('/connect', { platform: 'platform_a' });
    await untilCallersWait(other, 1);
    goOn.open();
    for (const answer of [await here, await there]) {
      expectError(answer, 500, 'INTERNAL_ERROR', /^(?!.*hunter2)/);
    }
    expect((await runsOf(customerId)).map(({ status }) => status)).toContain('failed');
  });

  it('that another instance takes over at its checkpoint when the lease ends', async () => {
    const { key, customerId } = await service.openSession();
    const [client, runId] = [api(service.url, key), '00000000-0000-4000-8000-000000000001'];
    // What an instance leaves that was killed in the middle: a run whose lease is over, with one record staged.
    await stored.query(
      `insert into sync_runs (customer_id, id, platform, status, lease_owner, lease_until)
       values ($1, $2, 'platform_b', 'running', $2, now() - interval '1 second')`,
      [customerId, runId],
    );
    await stored.query(
      `insert into sync_checkpoints (customer_id, run_id, scope, position, complete, records, without_id, unreadable_fields)
       values ($1, $2, 'payment', null, true, 1, 0, 0)`,
      [customerId, runId],
    );
    await stored.query(
      `insert into staged_records (customer_id, run_id, entity_type, seq, platform_id, native_order, payload, own_id)
       values ($1, $2, 'payment', 0, 'left', '1left', '{"id":"left"}', 'pay_00000000000000000000000000000000')`,
      [customerId, runId],
    );
    const counts = await connect(client, 'platform_b');
    // The scope that was read is not read again, the others are.
    expect(counts).toMatchObject({ payments: 1, invoices: 8 });
    expect((await runsOf(customerId)).map(({ id, status }) => [id, status])).toEqual([[runId, 'done']]);
    // The worker of the instance may have been the one to take it over: it tidies up after the run is done.
    await until('nothing is staged', async () => (await stagedOf(customerId)) === 0);
  });

  it('that a worker continues without a further request', async () => {
    const { customerId } = await service.openSession();
    const runId = '00000000-0000-4000-8000-000000000002';
    await stored.query(
      `insert into sync_runs (customer_id, id, platform, status, lease_owner, lease_until)
       values ($1, $2, 'platform_b', 'running', $2, now() - interval '1 second')`,
      [customerId, runId],
    );
    await service.app.get(RunReaper, { strict: false }).reap(new AbortController().signal);
    let state = 'running';
    while (state === 'running') {
      await new Promise((resolve) => setTimeout(resolve, 50));
      state = (await runsOf(customerId))[0]?.status ?? '';
    }
    expect(state).toBe('done');
    expect(await stored.of(customerId)).toHaveLength(36);
  });

  it('whose leftovers are swept', async () => {
    const { customerId } = await service.openSession();
    await stored.query(
      `insert into sync_checkpoints (customer_id, run_id, scope, records, without_id, unreadable_fields)
       values ($1, '00000000-0000-4000-8000-000000000003', 'payment', 0, 0, 0)`,
      [customerId],
    );
    await service.app.get(RunReaper, { strict: false }).reap(new AbortController().signal);
    expect(await stagedOf(customerId)).toBe(0);
  });

  it('that ends quietly when its customer is deleted', async () => {
    const { key, customerId, arrived, goOn } = await slowPlatform();
    const client = api(service.url, key);
    const answer = client.post('/connect', { platform: 'platform_a' });
    await arrived;
    expect((await client.delete('/demo/session')).status).toBe(204);
    goOn();
    expectError(await answer, 401, 'AUTHENTICATION_ERROR');
    expect(await stagedOf(customerId)).toBe(0);
    expect(await runsOf(customerId)).toEqual([]);
    expect(await stored.of(customerId)).toEqual([]);
  });

  it('that a loop of changes does not starve', async () => {
    const { key } = await service.openSession();
    const client = api(service.url, key);
    await connect(client, 'platform_a');
    let stop = false;
    const loop = async () => {
      for (let round = 0; !stop; round += 1) {
        await client.post('/propagate', {
          format: 'platform',
          platform: 'platform_a',
          platform_id: '1823456',
          entity_type: 'payment',
          data: { notes: `round ${round}` },
        });
      }
    };
    const loops = [loop(), loop(), loop()];
    const again = await client.post('/connect', { platform: 'platform_a' });
    stop = true;
    await Promise.all(loops);
    expect(again.status).toBe(200);
  });

  it('that one record with many faulty lines does not fail', async () => {
    const { key, customerId } = await service.openSession();
    sources.give(customerId, 'platform_a', [
      record(
        'contract',
        { id: 1, number: 'C-1', line_items: Array.from({ length: 130_000 }, () => ({ amount: 'x' })) },
        'WorkOrderContract',
      ),
      record('payment', { id: 1, check_number: 'CHK-1' }),
    ]);
    expect(await connect(api(service.url, key), 'platform_a')).toMatchObject({ contracts: 1, payments: 1 });
  });
});
