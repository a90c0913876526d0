import { setTimeout as sleep } from 'node:timers/promises';
import { PlatformRefused, PlatformUnavailable } from '../../../src/platforms/platform-error';
import { Metrics } from '../../../src/runtime/metrics/metrics';
import { SyncTimes } from '../../../src/sync/schedule/sync-times';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { latch } from '../../support/this-process/latch';
import { connect, listing } from '../../support/customers/listings';
import { makeLive } from '../../support/live/live-connections';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { untilCallersWait, untilRunHasRead } from '../../support/app/run-callers';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(60_000);

const payment = (id: number) => record('payment', { id, amount: '10.00', check_number: `CHK-${id}` });

describe('a live connection', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ syncIntervalMs: 0, connectWaitMs: 20_000 }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  async function open() {
    const { key, customerId } = await service.openSession();
    const platform = new MovingPlatform([payment(1), payment(2)]);
    sources.use(customerId, 'platform_a', platform);
    await makeLive(stored, customerId, 'platform_a');
    const client = api(service.url, key);
    const connections = async () => (await client.get('/connections')).body.data.connections;
    return { client, key, platform, connections };
  }
  /** The metrics of runs, by name and labels. */
  const counted = async (): Promise<ReadonlyMap<string, number>> => {
    const text = await service.app.get(Metrics, { strict: false }).registry.metrics();
    return new Map(
      [...text.matchAll(/^(translation_sync_\S+) (\d+)$/gm)].map(([, sample = '', value]) => [
        sample,
        Number(value),
      ]),
    );
  };
  const times = (): SyncTimes => service.app.get(SyncTimes, { strict: false });

  it('waits for the configured time', () => {
    expect(times()).toMatchObject({ wait: 20_000, interval: 0 });
  });

  it('is listed from its first run on, with nothing of it visible before it is whole', async () => {
    const { client, key, platform, connections } = await open();
    const { opened: released, open: goOn } = latch();
    platform.pageSize = 1;
    platform.beforePage = (_type, place) => (place === 1 ? released : Promise.resolve());
    const answer = await untilRunHasRead(service, key, 'platform_a', ['payments', 1]);
    expect(answer.body.data).toMatchObject({ status: 'connecting', mode: 'live', entities: { payments: 1 } });
    // The caller of the run is told before its page is stored.
    while ((await connections())[0].sync.records_read === 0) await sleep(20);
    expect(await connections()).toEqual([
      {
        platform: 'platform_a',
        status: 'connecting',
        connected_at: expect.stringMatching(/Z$/),
        entities_synced: 0,
        mode: 'live',
        last_synced_at: null,
        sync: {
          status: 'running',
          started_at: expect.stringMatching(/Z$/),
          records_read: 1,
          complete: false,
          gaps: [],
          deleted: 0,
          deletions_held: 0,
        },
        last_error: null,
      },
    ]);
    expect(await listing(client, 'platform_a', 'payment')).toEqual([]);
    const end = connect(client, 'platform_a');
    await untilCallersWait(service, 1);
    goOn();
    expect(await end).toMatchObject({ payments: 2 });
    expect(await connections()).toMatchObject([
      {
        status: 'active',
        entities_synced: 2,
        last_synced_at: expect.stringMatching(/Z$/),
        sync: { status: 'done', records_read: 2, complete: true },
        last_error: null,
      },
    ]);
  });

  it('that cannot be read for the first time says why', async () => {
    const { client, platform, connections } = await open();
    const secret = new Error('client_secret=hunter2 is wrong');
    platform.beforePage = () =>
      Promise.reject(new PlatformRefused('platform_a', 401, 'refused (401)', { cause: secret }));
    const answer = await client.post('/connect', { platform: 'platform_a' });
    const message = 'platform_a refused (401)';
    expectError(answer, 502, 'EXTERNAL_SERVICE_ERROR', message);
    expect(await connections()).toMatchObject([
      {
        status: 'failing',
        mode: 'live',
        entities_synced: 0,
        last_synced_at: null,
        sync: { status: 'failed', complete: false },
        last_error: { type: 'EXTERNAL_SERVICE_ERROR', message },
      },
    ]);
  });

  it.each([
    new PlatformRefused('platform_a', 403, 'refused (403)'),
    new PlatformUnavailable('platform_a', undefined, 'cannot be reached: the connection was refused'),
    new PlatformUnavailable('platform_a', 503, 'cannot serve now (503)'),
  ])('that fails later (%s) keeps its records', async (failure) => {
    const { message } = failure;
    const { client, platform, connections } = await open();
    await connect(client, 'platform_a');
    const before = await listing(client, 'platform_a', 'payment');
    platform.beforePage = () => Promise.reject(failure);
    const answer = await client.post('/connect', { platform: 'platform_a' });
    expectError(answer, 502, 'EXTERNAL_SERVICE_ERROR', message);
    expect(await listing(client, 'platform_a', 'payment')).toEqual(before);
    expect(await connections()).toMatchObject([
      { status: 'failing', entities_synced: 2, last_error: { message }, sync: { status: 'failed' } },
    ]);
    platform.beforePage = () => Promise.resolve();
    await connect(client, 'platform_a');
    expect(await connections()).toMatchObject([{ status: 'active', last_error: null }]);
  });

  it('has a sandbox beside it that is listed as before', async () => {
    const { client, connections } = await open();
    await connect(client, 'platform_b');
    expect(await connections()).toMatchObject([
      {
        platform: 'platform_b',
        status: 'active',
        mode: 'sandbox',
        entities_synced: 36,
        sync: { status: 'done', records_read: 36, complete: true },
      },
    ]);
  });

  it('reports its call budget, calls and records in the log and in metrics', async () => {
    const { client, platform } = await open();
    Object.assign(platform, { pageSize: 1, calls: 2, limited: 1 });
    platform.budget = (_connection, scopes) =>
      Promise.resolve({ calls: 3 * scopes.length, minutesAtLimit: 0.5 });
    const known = service.log.length;
    const before = await counted();
    await connect(client, 'platform_a');
    const grown = [...(await counted())].map(([sample, value]) => [
      sample,
      value - (before.get(sample) ?? 0),
    ]);
    expect(Object.fromEntries(grown.filter(([, by]) => by !== 0))).toEqual({
      'translation_sync_runs_total{platform="platform_a",mode="live",outcome="complete"}': 1,
      'translation_sync_records_read_total{platform="platform_a",mode="live"}': 2,
      'translation_sync_calls_total{platform="platform_a",result="answered"}': 6,
      'translation_sync_calls_total{platform="platform_a",result="limited"}': 6,
    });
    const lines = service.log.slice(known);
    expect(lines.find(({ msg }) => msg === 'call budget')).toMatchObject({
      platform: 'platform_a',
      calls: 15,
      minutes_at_limit: 0.5,
    });
    // A page for each of two payments, and one for each of the four types without records.
    expect(lines.find(({ msg }) => msg === 'connected')).toMatchObject({
      mode: 'live',
      whole: true,
      complete: true,
      read: 2,
      calls: 12,
      calls_per_1000: 6_000,
      limited: 6,
    });
  });
});
