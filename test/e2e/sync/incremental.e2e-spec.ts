import type { Checkpoint, SourceRecord } from '../../../src/platforms/connector';
import { RunsRepository } from '../../../src/sync/run/runs.repository';
import { SyncTimes } from '../../../src/sync/schedule/sync-times';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect, listed } from '../../support/customers/listings';
import { makeLive, makeSandbox } from '../../support/live/live-connections';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(60_000);

const payment = (id: number, more: object = {}): SourceRecord =>
  record('payment', { id, amount: '10.00', check_number: `CHK-${id}`, ...more });
const project = (id: number): SourceRecord => record('project', { id, project_number: `P-${id}` });

describe('a live platform that is read again', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ syncIntervalMs: 0 }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  async function open(...records: SourceRecord[]) {
    const { key, customerId } = await service.openSession();
    const platform = new MovingPlatform(records);
    sources.use(customerId, 'platform_a', platform);
    await makeLive(stored, customerId, 'platform_a');
    const client = api(service.url, key);
    const read = async () => {
      await connect(client, 'platform_a');
      return platform.readings();
    };
    return { client, customerId, platform, read };
  }
  const cursorsOf = (customerId: string) =>
    stored.query<{ scope: string; position: unknown }>(
      'select scope, position from sync_cursors where customer_id = $1 order by scope',
      [customerId],
    );

  it('is read whole once, and then from its cursors on', async () => {
    const { client, platform, read } = await open(project(1), payment(1), payment(2));
    expect(await read()).toEqual([
      { entityType: 'project', since: null, from: null },
      { entityType: 'payment', since: null, from: null },
    ]);
    platform.put(payment(2, { notes: 'changed' }));
    platform.put(payment(3));
    expect(await read()).toEqual([
      { entityType: 'project', since: 3, from: null },
      { entityType: 'payment', since: 3, from: null },
    ]);
    expect(await listed(client, 'platform_a', 'payment', '2')).toMatchObject({ data: { notes: 'changed' } });
    expect(await listed(client, 'platform_a', 'payment', '3')).toMatchObject({ id: '3' });
    // What was not read again is still there.
    expect(await listed(client, 'platform_a', 'payment', '1')).toMatchObject({ id: '1' });
    expect((await read()).map(({ since }) => since)).toEqual([5, 5]);
  });

  it('keeps the cursor of a scope that could not be read to its end', async () => {
    const { platform, customerId, read } = await open(project(1), payment(1));
    platform.incomplete.add('payment');
    await read();
    expect((await cursorsOf(customerId)).map(({ scope }) => scope)).not.toContain('payment');
    expect(await read()).toContainEqual({ entityType: 'payment', since: null, from: null });
    platform.incomplete.clear();
    await read();
    platform.incomplete.add('payment');
    platform.put(payment(2));
    await read();
    expect(await read()).toContainEqual({ entityType: 'payment', since: 2, from: null });
  });

  it('goes on from the cursor of a scope with gaps that it names', async () => {
    const { client, platform, read } = await open(project(1), payment(1));
    platform.gaps.set('payment', ['project 7: payments (403)']);
    await read();
    const [connection] = (await client.get('/connections')).body.data.connections;
    expect(connection.sync).toMatchObject({
      status: 'done',
      complete: false,
      gaps: ['project 7: payments (403)'],
    });
    expect(await read()).toContainEqual({ entityType: 'payment', since: 2, from: null });
  });

  it('is read whole when its connector gives no cursor', async () => {
    const { platform, read } = await open(payment(1));
    platform.cursors = false;
    await read();
    expect(await read()).toEqual([{ entityType: 'payment', since: null, from: null }]);
  });

  it('is read whole once a day', async () => {
    const { customerId, read } = await open(payment(1));
    await read();
    await stored.query(
      `update sync_schedules set whole_at = now() - interval '25 hours' where customer_id = $1`,
      [customerId],
    );
    expect(await read()).toEqual([{ entityType: 'payment', since: null, from: null }]);
    expect(await read()).toEqual([{ entityType: 'payment', since: 1, from: null }]);
  });

  it('is read by changes after a whole reading that has taken more than a day', async () => {
    const { read } = await open(payment(1));
    const runs = service.app.get(RunsRepository, { strict: false });
    const beginReading = runs.beginReading.bind(runs);
    const begun = jest.spyOn(runs, 'beginReading').mockImplementationOnce(async (tx, run) => {
      const since = new Date(await beginReading(tx, run));
      return new Date(since.getTime() - 25 * 3_600_000).toISOString();
    });
    await read();
    begun.mockRestore();
    expect(await read()).toEqual([{ entityType: 'payment', since: 1, from: null }]);
  });

  it('is read whole when its settings or its mode have changed', async () => {
    const { customerId, read } = await open(payment(1));
    await read();
    await makeLive(stored, customerId, 'platform_a');
    expect(await read()).toEqual([{ entityType: 'payment', since: null, from: null }]);
    await makeSandbox(stored, customerId, 'platform_a');
    expect(await read()).toEqual([{ entityType: 'payment', since: null, from: null }]);
    await makeLive(stored, customerId, 'platform_a');
    expect(await read()).toEqual([{ entityType: 'payment', since: null, from: null }]);
  });

  it('is told what was covered before, also with other settings of the same company', async () => {
    const { customerId, platform, read } = await open(payment(1));
    const covered: (Checkpoint | null)[] = [];
    const reading = platform.read.bind(platform);
    platform.read = (connection, scope, from) => {
      if (scope.entityType === 'payment') covered.push(scope.before ?? null);
      return reading(connection, scope, from);
    };
    await read();
    platform.put(payment(2));
    await read();
    await makeLive(stored, customerId, 'platform_a');
    await read();
    // A sandbox is another company.
    await makeSandbox(stored, customerId, 'platform_a');
    await read();
    await makeLive(stored, customerId, 'platform_a');
    await read();
    expect(covered).toEqual([null, 1, 2, null, null]);
  });

  it('keeps the cursors of the last run that was published', async () => {
    const { client, platform, customerId, read } = await open(project(1), payment(1));
    await read();
    const before = await cursorsOf(customerId);
    platform.put(project(2));
    platform.put(payment(2));
    platform.beforePage = (entityType) =>
      entityType === 'payment' ? Promise.reject(new Error('It hangs up')) : Promise.resolve();
    expect((await client.post('/connect', { platform: 'platform_a' })).status).toBe(500);
    expect(await cursorsOf(customerId)).toEqual(before);
  });

  it('is not published when its settings change while it is read', async () => {
    const { client, platform, customerId, read } = await open(payment(1));
    await read();
    platform.put(payment(2));
    platform.beforePage = async (entityType) => {
      if (entityType === 'payment') await makeLive(stored, customerId, 'platform_a');
    };
    const answer = await client.post('/connect', { platform: 'platform_a' });
    expectError(answer, 409, 'CONFLICT_ERROR', /was changed while it was read/);
    expect((await stored.of(customerId)).map((row) => row.record)).toEqual(['platform_a payment 1']);
    // It counts as no failure, and the service reads the platform again by itself.
    expect((await client.get('/connections')).body.data).toMatchObject({
      connections: [{ status: 'active', sync: { status: 'failed' }, last_error: null }],
    });
    platform.beforePage = () => Promise.reject(new Error('It hangs up'));
    expect((await client.post('/connect', { platform: 'platform_a' })).status).toBe(500);
    expect((await client.get('/connections')).body.data).toMatchObject({
      connections: [{ status: 'failing', last_error: { type: 'INTERNAL_ERROR' } }],
    });
    platform.beforePage = async () => makeLive(stored, customerId, 'platform_a');
    expect((await client.post('/connect', { platform: 'platform_a' })).status).toBe(409);
    // The failure before it still counts.
    expect((await client.get('/connections')).body.data).toMatchObject({
      connections: [{ status: 'failing', last_error: { type: 'INTERNAL_ERROR' } }],
    });
  });

  it('is read no further once its settings have changed', async () => {
    const times = service.app.get(SyncTimes, { strict: false });
    const { lease } = times;
    Object.assign(times, { lease: 1_000 });
    try {
      const { client, platform, customerId, read } = await open(payment(1));
      platform.beforePage = async (_entityType, _place, signal) => {
        await makeLive(stored, customerId, 'platform_a');
        // The platform does not answer before the reading ends.
        await new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      };
      const answer = await client.post('/connect', { platform: 'platform_a' });
      expectError(answer, 409, 'CONFLICT_ERROR', /was changed while it was read/);
      expect(
        await stored.query(
          'select failures, sync_due_at <= now() as due from sync_schedules where customer_id = $1',
          [customerId],
        ),
      ).toEqual([{ failures: 0, due: true }]);
      platform.beforePage = () => Promise.resolve();
      platform.asked.splice(0);
      expect(await read()).toEqual([{ entityType: 'payment', since: null, from: null }]);
    } finally {
      Object.assign(times, { lease });
    }
  });

  it('loses its cursors with its customer', async () => {
    const { client, customerId, read } = await open(payment(1));
    await read();
    expect(await cursorsOf(customerId)).toHaveLength(5);
    expect((await client.delete('/demo/session')).status).toBe(204);
    expect(await cursorsOf(customerId)).toEqual([]);
    expect(await stored.query('select 1 from sync_schedules where customer_id = $1', [customerId])).toEqual(
      [],
    );
  });
});
