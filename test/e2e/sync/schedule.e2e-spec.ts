import { setTimeout as sleep } from 'node:timers/promises';
import type { PlatformName } from '@app/mapper';
import { Overloaded } from '../../../src/runtime/fairness/overloaded';
import { RunReaper } from '../../../src/sync/execution/run-reaper';
import { PlatformRefused, PlatformUnavailable } from '../../../src/platforms/platform-error';
import { RunsRepository } from '../../../src/sync/run/runs.repository';
import { SyncRequests } from '../../../src/sync/schedule/sync-requests';
import { SyncSchedule } from '../../../src/sync/execution/schedule';
import { SyncService } from '../../../src/sync/sync.service';
import { SyncTimes } from '../../../src/sync/schedule/sync-times';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { endBackgroundTasks } from '../../support/app/background-tasks';
import { feedOf } from '../../support/customers/feed';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { latch } from '../../support/this-process/latch';
import { connect } from '../../support/customers/listings';
import { makeLive, makeSandbox } from '../../support/live/live-connections';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(60_000);

const HOUR = 3_600_000;

describe('the schedule of live connections', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let other: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    // Tests look at the schedule when they want; the service itself looks at none of their customers.
    const times = { syncIntervalMs: HOUR, syncPauseMs: 0 };
    service = await startApp(times, [], sources);
    other = await startApp({ ...times, databaseUrl: service.databaseUrl }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
    for (const { app } of [service, other]) await endBackgroundTasks(app);
  });
  afterEach(async () => {
    await stored.query('delete from sync_schedules');
    for (const { app } of [service, other])
      Object.assign(app.get(SyncTimes, { strict: false }), { interval: HOUR, pause: 0 });
  });
  afterAll(async () => {
    await stored.close();
    await other.close();
    await service.close();
  });

  const look = async (...instances: RunningApp[]): Promise<void> => {
    const schedules = instances.map(({ app }) => app.get(SyncSchedule, { strict: false }));
    const never = new AbortController().signal;
    await Promise.all(schedules.map((schedule) => schedule.poll(never)));
    await Promise.all(schedules.map((schedule) => schedule.idle()));
  };
  const request = (customerId: string, whole?: boolean): Promise<void> =>
    service.app
      .get(SyncRequests, { strict: false })
      .request({ customerId, platform: 'platform_a' }, whole === undefined ? {} : { whole });

  async function open(platforms: readonly PlatformName[] = ['platform_a']) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const all = platforms.map((name) => {
      const platform = new MovingPlatform([record('project', { id: 1, project_number: 'P-1' })]);
      sources.use(customerId, name, platform);
      return platform;
    });
    for (const name of platforms) {
      await makeLive(stored, customerId, name);
      await connect(client, name);
    }
    for (const platform of all) platform.readings();
    const [platform] = all;
    if (platform === undefined) throw new Error('There is no platform');
    return { client, customerId, platform, platforms: all };
  }
  const scheduleOf = async (customerId: string) => {
    const [row] = await stored.query<{
      failures: number;
      whole: boolean;
      requested: boolean;
      minutes: number;
    }>(
      `select failures, whole, requested_at is not null as requested,
         extract(epoch from sync_due_at - now())::float8 / 60 as minutes
       from sync_schedules where customer_id = $1`,
      [customerId],
    );
    return row;
  };
  const makeDue = (customerId: string) =>
    stored.query(
      `update sync_schedules set sync_due_at = now() - interval '1 second', not_before = null where customer_id = $1`,
      [customerId],
    );

  it('reads a connection again after the interval, about', async () => {
    const { customerId, platform } = await open();
    const minutes = (await scheduleOf(customerId))?.minutes;
    expect(minutes).toBeGreaterThan(53);
    expect(minutes).toBeLessThan(66.1);
    await look(service);
    expect(platform.readings()).toEqual([]);
    await makeDue(customerId);
    await look(service);
    expect(platform.readings()).toEqual([{ entityType: 'project', since: 1, from: null }]);
    expect((await scheduleOf(customerId))?.minutes).toBeGreaterThan(53);
  });

  it('starts one run on one of two instances', async () => {
    const { customerId, platform } = await open();
    for (let round = 0; round < 5; round += 1) {
      await makeDue(customerId);
      await look(service, other, service, other);
      expect(platform.readings()).toHaveLength(1);
    }
  });

  it('reads no sandbox', async () => {
    const { customerId, platform } = await open();
    await makeDue(customerId);
    await makeSandbox(stored, customerId, 'platform_a');
    await look(service);
    await request(customerId);
    await look(service);
    expect(platform.readings()).toEqual([]);
    const sandbox = await service.openSession();
    await connect(api(service.url, sandbox.key), 'platform_b');
    expect(await scheduleOf(sandbox.customerId)).toBeUndefined();
  });

  it('reads nothing by schedule with an interval of 0, and still reads on request', async () => {
    const { customerId, platform } = await open();
    service.app.get(SyncTimes, { strict: false }).interval = 0;
    await makeDue(customerId);
    await look(service);
    expect(platform.readings()).toEqual([]);
    await request(customerId);
    await look(service);
    expect(platform.readings()).toHaveLength(1);
  });

  it('reads again with an interval of 0 what was requested and has failed, and nothing that was never read', async () => {
    const { client, customerId, platform } = await open();
    service.app.get(SyncTimes, { strict: false }).interval = 0;
    await request(customerId);
    const refuses = () => Promise.reject(new PlatformUnavailable('platform_a', 503, 'does not answer'));
    platform.beforePage = refuses;
    await look(service);
    expect(platform.readings()).toHaveLength(1);
    await look(service);
    expect(platform.readings()).toEqual([]);
    expect(await scheduleOf(customerId)).toMatchObject({ failures: 1, requested: true });
    platform.beforePage = () => Promise.resolve();
    await makeDue(customerId);
    await look(service);
    expect(platform.readings()).toHaveLength(1);
    expect(await scheduleOf(customerId)).toMatchObject({ failures: 0, requested: false });

    await stored.query('delete from connections where customer_id = $1', [customerId]);
    platform.beforePage = refuses;
    expect((await client.post('/connect', { platform: 'platform_a' })).status).toBe(502);
    expect(await scheduleOf(customerId)).toMatchObject({ failures: 1, requested: false });
  });

  it('makes one run of a storm of requests, and one more of those that come while it reads', async () => {
    const { customerId, platform } = await open();
    await Promise.all(Array.from({ length: 50 }, () => request(customerId)));
    let storm: Promise<unknown> = Promise.resolve();
    platform.beforePage = async () => {
      platform.beforePage = () => Promise.resolve();
      storm = Promise.all(Array.from({ length: 50 }, () => request(customerId)));
      await storm;
    };
    await look(service);
    expect(platform.readings()).toHaveLength(1);
    expect(await scheduleOf(customerId)).toMatchObject({ requested: true });
    await look(service);
    await look(service);
    expect(platform.readings()).toHaveLength(1);
    expect(await scheduleOf(customerId)).toMatchObject({ requested: false });
  });

  it('lets a connection rest between runs that a storm asks for, and forgets none', async () => {
    const { client, customerId, platform } = await open();
    const usual = new SyncTimes().pause;
    const times = service.app.get(SyncTimes, { strict: false });
    const restOf = async (): Promise<number> => {
      const [row] = await stored.query<{ seconds: number }>(
        `select extract(epoch from not_before - now())::float8 as seconds from sync_schedules where customer_id = $1`,
        [customerId],
      );
      return row?.seconds ?? 0;
    };
    times.pause = usual;
    await request(customerId);
    // Nobody has read it for a while: what is asked for comes at once.
    await look(service);
    expect(platform.readings()).toHaveLength(1);
    expect(await restOf()).toBeGreaterThan(usual / 1_000 - 10);
    expect(await restOf()).toBeLessThanOrEqual(usual / 1_000);
    for (let call = 0; call < 20; call += 1) {
      await request(customerId);
      await look(service, other);
    }
    expect(platform.readings()).toEqual([]);
    expect(await scheduleOf(customerId)).toMatchObject({ requested: true });
    // A person who asks does not wait.
    await connect(client, 'platform_a');
    expect(platform.readings()).toHaveLength(1);
    await request(customerId);
    await stored.query(
      `update sync_schedules set not_before = not_before - interval '30 seconds' where customer_id = $1`,
      [customerId],
    );
    await look(service);
    expect(platform.readings()).toHaveLength(1);
    expect(await scheduleOf(customerId)).toMatchObject({ requested: false });
  });

  it('lets it rest as long as the run took, but never longer than the interval', async () => {
    const { customerId, platform } = await open();
    const times = service.app.get(SyncTimes, { strict: false });
    times.pause = 1_000;
    const restAfter = async (duration: string): Promise<number> => {
      platform.beforePage = async () => {
        platform.beforePage = () => Promise.resolve();
        await stored.query(
          `update sync_runs set started_at = started_at - $2::interval where customer_id = $1 and status = 'running'`,
          [customerId, duration],
        );
      };
      await makeDue(customerId);
      await look(service);
      const [row] = await stored.query<{ minutes: number }>(
        `select extract(epoch from not_before - now())::float8 / 60 as minutes from sync_schedules where customer_id = $1`,
        [customerId],
      );
      return row?.minutes ?? 0;
    };
    const long = await restAfter('10 minutes');
    expect(long).toBeGreaterThan(9);
    expect(long).toBeLessThan(11);
    times.interval = 60_000;
    expect(await restAfter('4 hours')).toBeLessThan(1.11);
  });

  it('reads everything when that is asked for, and keeps asking until it is done', async () => {
    const { customerId, platform } = await open();
    await request(customerId);
    await request(customerId, true);
    platform.beforePage = () =>
      Promise.reject(new PlatformUnavailable('platform_a', undefined, 'does not answer'));
    await look(service);
    expect(platform.readings()).toEqual([{ entityType: 'project', since: null, from: null }]);
    platform.beforePage = () => Promise.resolve();
    await makeDue(customerId);
    await look(service);
    expect(platform.readings()).toEqual([{ entityType: 'project', since: null, from: null }]);
    await makeDue(customerId);
    await look(service);
    expect(platform.readings()).toEqual([{ entityType: 'project', since: 1, from: null }]);
  });

  it('keeps asking for everything also where another run begins while the one that was to read it fails', async () => {
    const { client, customerId, platform } = await open();
    const { opened: refused, open: refuse } = latch();
    const { opened: reading, open: arrived } = latch();
    platform.beforePage = async () => {
      arrived();
      await refused;
      throw new PlatformUnavailable('platform_a', 503, 'does not answer');
    };
    const connection = { customerId, platform: 'platform_a' } as const;
    const sync = other.app.get(SyncService, { strict: false });
    const whole = expect(sync.complete(connection, { whole: true }, () => undefined)).rejects.toThrow();
    await reading;
    const rows = service.app.get(RunsRepository, { strict: false });
    const start = rows.start.bind(rows);
    jest.spyOn(rows, 'start').mockImplementationOnce(async (...given) => {
      refuse();
      await whole;
      platform.beforePage = () => Promise.resolve();
      return start(...given);
    });
    await connect(client, 'platform_a');
    expect(platform.readings().map(({ since }) => since)).toEqual([null, 1]);
    await makeDue(customerId);
    await look(service);
    expect(platform.readings()).toEqual([{ entityType: 'project', since: null, from: null }]);
  });

  it('pauses a failing connection, longer each time, despite requests', async () => {
    const { customerId, platform } = await open();
    for (const { app } of [service, other]) app.get(SyncTimes, { strict: false }).interval = 300_000;
    platform.beforePage = () => Promise.reject(new PlatformUnavailable('platform_a', 503, 'does not answer'));
    const rests: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      await makeDue(customerId);
      await look(service);
      rests.push((await scheduleOf(customerId))?.minutes ?? 0);
      await request(customerId);
      await look(service);
    }
    expect(platform.readings()).toHaveLength(6);
    for (const [place, expected] of [5, 10, 20, 40, 60, 60].entries()) {
      expect(rests[place]).toBeGreaterThan(expected * 0.89);
      expect(rests[place]).toBeLessThan(expected * 1.11);
    }
    platform.beforePage = () => Promise.resolve();
    await makeDue(customerId);
    await look(service);
    expect(await scheduleOf(customerId)).toMatchObject({ failures: 0 });
  });

  it.each<[string, () => Promise<void>]>([
    ['fails', () => Promise.reject(new PlatformRefused('platform_a', 401, 'refused the credentials (401)'))],
    ['reads to the end', () => Promise.resolve()],
  ])('reads at once a connection that is set while a run %s, and counts no failure', async (_what, end) => {
    const { client, customerId, platform } = await open();
    const times = service.app.get(SyncTimes, { strict: false });
    for (const [interval, failures] of [
      [HOUR, 0],
      [0, 4],
    ] as const) {
      times.interval = interval;
      await request(customerId);
      await stored.query('update sync_schedules set failures = $2 where customer_id = $1', [
        customerId,
        failures,
      ]);
      platform.beforePage = async () => {
        platform.beforePage = () => Promise.resolve();
        await makeLive(stored, customerId, 'platform_a');
        await end();
      };
      await look(service);
      expect(platform.readings()).toHaveLength(1);
      expect(await scheduleOf(customerId)).toMatchObject({ failures, requested: interval === 0 });
      await look(service);
      expect(platform.readings()).toHaveLength(1);
      expect(await scheduleOf(customerId)).toMatchObject({ failures: 0, requested: false });
    }
    const events = (await feedOf(client)).filter(({ type }) => type.startsWith('connection.'));
    expect(events).toMatchObject([{ type: 'connection.recovered', data: { failures: 4 } }]);
  });

  it('reads a platform of a customer while another one keeps it waiting, and so those of others', async () => {
    const customers: Awaited<ReturnType<typeof open>>[] = [];
    while (customers.length < 6) customers.push(await open(['platform_a', 'platform_b']));
    const { opened: released, open: letGo } = latch();
    for (const { customerId, platforms } of customers) {
      await makeDue(customerId);
      const [slow] = platforms;
      if (slow !== undefined) slow.beforePage = () => released;
    }
    const schedule = service.app.get(SyncSchedule, { strict: false });
    await schedule.poll(new AbortController().signal);
    const areRead = (): boolean =>
      customers.every(({ platforms: [, quick] }) =>
        quick?.asked.some(({ entityType }) => entityType === 'payment'),
      );
    for (let looks = 0; looks < 500 && !areRead(); looks += 1) await sleep(20);
    expect(areRead()).toBe(true);
    letGo();
    await schedule.idle();
    for (const { platforms } of customers) {
      for (const platform of platforms) expect(platform.readings()).toHaveLength(1);
    }
  });

  it('works on 64 runs at once, and on each that is due', async () => {
    const { opened: released, open: letGo } = latch();
    const reading = new Set<string>();
    const platforms: MovingPlatform[] = [];
    while (platforms.length < 66) {
      const { customerId } = await service.openSession();
      const platform = new MovingPlatform([record('project', { id: 1, project_number: 'P-1' })]);
      platform.beforePage = async () => {
        reading.add(customerId);
        await released;
      };
      platforms.push(platform);
      sources.use(customerId, 'platform_a', platform);
      await makeLive(stored, customerId, 'platform_a');
      await stored.query(
        `insert into sync_schedules (customer_id, platform, sync_due_at) values ($1, 'platform_a', now())`,
        [customerId],
      );
    }
    const schedule = service.app.get(SyncSchedule, { strict: false });
    const never = new AbortController().signal;
    await schedule.poll(never);
    for (let looks = 0; looks < 500 && reading.size < 64; looks += 1) await sleep(20);
    await schedule.poll(never);
    expect(reading.size).toBe(64);
    letGo();
    await schedule.idle();
    await look(service);
    for (const platform of platforms) expect(platform.readings()).toHaveLength(1);
  });

  describe('while the instance has no time for a run', () => {
    const hasNoTimeOnce = (): void =>
      void jest
        .spyOn(service.app.get(RunsRepository, { strict: false }), 'beginReading')
        .mockRejectedValueOnce(new Overloaded('No connection'));

    it('counts no failure, and leaves the run to be taken over', async () => {
      const { customerId, platform } = await open();
      await makeDue(customerId);
      hasNoTimeOnce();
      await look(service);
      expect(platform.readings()).toEqual([]);
      expect(await scheduleOf(customerId)).toMatchObject({ failures: 0 });
      await service.app.get(RunReaper, { strict: false }).reap(new AbortController().signal);
      const isReading = async () => {
        const runs = `select from sync_runs where customer_id = $1 and status = 'running'`;
        return (await stored.query(runs, [customerId])).length > 0;
      };
      for (let looks = 0; looks < 500 && (await isReading()); looks += 1) await sleep(20);
      expect(platform.readings()).toHaveLength(1);
    });

    it('lets a connect wait for it', async () => {
      const { client, platform } = await open();
      hasNoTimeOnce();
      await connect(client, 'platform_a');
      expect(platform.readings()).toHaveLength(1);
    });
  });

  it('leaves a connection alone that is being read', async () => {
    const { client, customerId, platform } = await open();
    const { opened: released, open: goOn } = latch();
    const { opened: reading, open: arrived } = latch();
    platform.beforePage = async () => {
      arrived();
      await released;
    };
    const connecting = connect(client, 'platform_a');
    await reading;
    await makeDue(customerId);
    await look(service, other);
    goOn();
    await connecting;
    expect(platform.readings()).toHaveLength(1);
  });

  it('is kept by the service itself', async () => {
    const looking = await startApp(
      { databaseUrl: service.databaseUrl, syncIntervalMs: HOUR, syncPauseMs: 0 },
      [],
      sources,
    );
    try {
      const { customerId, platform } = await open();
      await makeDue(customerId);
      for (let looks = 0; looks < 500 && platform.asked.length === 0; looks += 1) await sleep(20);
      expect(platform.asked.length).toBeGreaterThan(0);
      for (let looks = 0; looks < 500 && ((await scheduleOf(customerId))?.minutes ?? 0) < 1; looks += 1)
        await sleep(20);
      expect(await scheduleOf(customerId)).toMatchObject({ failures: 0 });
    } finally {
      await looking.close();
    }
  });
});
