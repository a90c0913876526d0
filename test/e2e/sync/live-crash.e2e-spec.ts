import type { SourceRecord } from '../../../src/platforms/connector';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { RunReaper } from '../../../src/sync/execution/run-reaper';
import { Runs } from '../../../src/sync/execution/runs';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { endBackgroundTasks } from '../../support/app/background-tasks';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { latch } from '../../support/this-process/latch';
import { connect, listing } from '../../support/customers/listings';
import { LIVE_KEY, makeLive } from '../../support/live/live-connections';
import { until } from '../../support/live/live-work';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { serveReading } from '../../support/platforms/served-reading';
import { startServiceProcess } from '../../support/processes/service-process';
import { keysSetting } from '../credentials/master-keys';
import { StoredRecords } from '../../support/database/stored-records';

// A process is started and killed.
jest.setTimeout(120_000);

const payment = (id: number, notes: string): SourceRecord =>
  record('payment', { id, amount: '10.00', check_number: `CHK-${id}`, notes });
const project = (id: number): SourceRecord => record('project', { id, project_number: `P-${id}` });
const six = (notes: string): SourceRecord[] => [1, 2, 3, 4, 5, 6].map((id) => payment(id, notes));

/** A customer with a live platform. */
interface Opened {
  readonly key: string;
  readonly customerId: string;
  readonly platform: MovingPlatform;
  readonly client: ReturnType<typeof api>;
}

describe('an instance that is killed while it reads a live platform', () => {
  const sources = new GivenRecords();
  let survivor: RunningApp;
  let stored: StoredRecords;
  /** Readings that are cut at a page of the payments, and what happens on the platform before they begin. */
  const readings: readonly {
    readonly name: string;
    readonly place: number;
    readonly projects: readonly number[];
    readonly prepare: (opened: Opened) => unknown;
  }[] = [
    ...[0, 2, 4].map((place) => ({
      name: `changes, at page ${place}`,
      place,
      projects: [1],
      prepare: ({ platform }: Opened) => six('changed').forEach((one) => platform.put(one)),
    })),
    ...['changes that another instance goes on with', 'changes with which it fails'].map((name) => ({
      name,
      place: 0,
      projects: [1],
      prepare: ({ platform }: Opened) => platform.put(payment(1, 'changed')),
    })),
    {
      name: 'everything',
      place: 2,
      projects: [1, 2],
      prepare: async ({ platform, customerId }: Opened) => {
        await stored.query('update sync_schedules set whole = true where customer_id = $1', [customerId]);
        platform.gaps.set('project', ['company 5: projects (403)']);
        platform.remove('project', '2');
        platform.remove('payment', '6');
      },
    },
  ];
  /** The customers of these readings. */
  const cut = new Map<string, Opened>();

  /** A customer whose platform was read once. */
  async function open(records: readonly SourceRecord[]): Promise<Opened> {
    const { key, customerId } = await survivor.openSession();
    const platform = new MovingPlatform(records);
    platform.pageSize = 2;
    sources.use(customerId, 'platform_a', platform);
    await makeLive(stored, customerId, 'platform_a');
    const client = api(survivor.url, key);
    await connect(client, 'platform_a');
    return { key, customerId, platform, client };
  }

  // One process is enough for all: the kill finds the reading of each customer at a page of its own.
  beforeAll(async () => {
    survivor = await startApp({ syncIntervalMs: 0 }, [], sources);
    // No run is taken over by itself: the test says when.
    await endBackgroundTasks(survivor.app);
    stored = await StoredRecords.open(survivor.databaseUrl);
    const served = await serveReading((customerId) => {
      const found = [...cut.values()].find((opened) => opened.customerId === customerId);
      if (found === undefined) throw new Error(`${customerId} has no platform`);
      return found.platform;
    });
    const env = {
      READ_PLATFORM: served.url,
      SYNC_INTERVAL: '0',
      // The first connect waits for the kill as long as the others take to begin.
      CONNECT_WAIT: '5m',
      CREDENTIALS_KEYS: keysSetting(LIVE_KEY),
    };
    const victim = await startServiceProcess(survivor.databaseUrl, { main: 'run-reading-service.ts', env });
    const answers: Promise<unknown>[] = [];
    for (const { name, place, projects, prepare } of readings) {
      const opened = await open([...projects.map(project), ...six('as it was')]);
      const { key, customerId, platform } = opened;
      cut.set(name, opened);
      await prepare(opened);
      const { opened: there, open: arrived } = latch();
      platform.beforePage = (entityType, at) => {
        if (entityType !== 'payment' || at !== place) return Promise.resolve();
        arrived();
        return new Promise<void>(() => undefined);
      };
      answers.push(
        api(victim.url, key)
          .post('/connect', { platform: 'platform_a' })
          .catch(() => 'cut'),
      );
      await there;
      // Pages are read ahead: those before this one are to be stored.
      await until('the pages before this one are stored', async () => {
        const [row] = await stored.query<{ records: number }>(
          `select coalesce(sum(records), 0)::int as records from sync_checkpoints where customer_id = $1 and scope = 'payment'`,
          [customerId],
        );
        return row?.records === place;
      });
    }
    await victim.kill();
    // No other customer's run is taken over in a test.
    await stored.query(
      `update sync_runs set lease_until = now() + interval '1 hour' where status = 'running'`,
    );
    expect(await Promise.all(answers)).toEqual(readings.map(() => 'cut'));
    await served.close();
  });
  afterAll(async () => {
    await stored.close();
    await survivor.close();
  });

  /** A customer whose run may be taken over now. What the killed instance has asked for is forgotten. */
  async function afterTheKill(reading: string): Promise<Opened> {
    const opened = cut.get(reading);
    if (opened === undefined) throw new Error(`There is no reading of ${reading}`);
    const { platform, customerId } = opened;
    platform.beforePage = () => Promise.resolve();
    platform.readings();
    await stored.query(
      `update sync_runs set lease_until = now() - interval '1 second' where customer_id = $1 and status = 'running'`,
      [customerId],
    );
    return opened;
  }

  it.each([0, 2, 4])(
    'leaves a reading of changes that goes on at page %s, from its cursor',
    async (place) => {
      const { platform, client, customerId } = await afterTheKill(`changes, at page ${place}`);
      if (place > 0) {
        // A scope that was begun does not need the cursor any more.
        await stored.query('delete from sync_cursors where customer_id = $1', [customerId]);
      }
      expect(await connect(client, 'platform_a')).toMatchObject({ payments: 6, projects: 1 });
      expect(platform.readings().filter(({ entityType }) => entityType === 'payment')).toEqual([
        { entityType: 'payment', since: 7, from: place === 0 ? null : place },
      ]);
      const rows = await listing(client, 'platform_a', 'payment');
      expect(rows.map(({ data }) => data.notes)).toEqual(six('changed').map(() => 'changed'));
      // It was no whole reading: the next one begins where it ended.
      await connect(client, 'platform_a');
      expect(platform.readings()).toContainEqual({ entityType: 'payment', since: 13, from: null });
    },
  );

  describe('leaves a run', () => {
    /** The lines about a run that another instance takes over by itself, and its ID. */
    const takenOver = async (reading: string, prepare: (platform: MovingPlatform) => void) => {
      const { platform, customerId } = await afterTheKill(reading);
      const [run] = await stored.query<{ id: string }>(
        `select id from sync_runs where customer_id = $1 and status = 'running'`,
        [customerId],
      );
      prepare(platform);
      const lines = () =>
        survivor.log.filter((line) => line['customer_id'] === customerId && line['context'] !== 'Http');
      const before = lines().length;
      await survivor.app.get(RunReaper, { strict: false }).reap(new AbortController().signal);
      // It is over here when nobody has it any more.
      const end = survivor.app.get(Runs, { strict: false }).join({ customerId, platform: 'platform_a' }).end;
      await Promise.allSettled([end]);
      return { customerId, runId: run?.id, lines: lines().slice(before) };
    };

    it('whose lines name customer, platform and run where another instance goes on', async () => {
      const { customerId, runId, lines } = await takenOver(
        'changes that another instance goes on with',
        () => undefined,
      );
      expect(runId).toMatch(/^[0-9a-f-]{36}$/);
      expect(lines.map(({ msg }) => msg)).toEqual(['A run was taken over', 'connected']);
      for (const line of lines) {
        expect(line).toMatchObject({ customer_id: customerId, platform: 'platform_a', run_id: runId });
        // The request that has begun it waits no more.
        expect(line).not.toHaveProperty('request_id');
      }
    });

    it('and where it fails there', async () => {
      const { customerId, runId, lines } = await takenOver('changes with which it fails', (platform) => {
        platform.beforePage = () => Promise.reject(new Error('Ours'));
      });
      expect(lines.map(({ msg }) => msg)).toEqual([
        'A run was taken over',
        'A run failed',
        'A run that was taken over failed',
      ]);
      for (const line of lines) {
        expect(line).toMatchObject({ customer_id: customerId, platform: 'platform_a', run_id: runId });
      }
    });

    it('of which something is left that cannot be removed, and the line names its customer and run', async () => {
      const { customerId } = await open([project(1)]);
      const runId = '5b0a2c1e-8f4d-4c59-9a53-0c1d6b7e2f10';
      await stored.query(
        `insert into sync_checkpoints (customer_id, run_id, scope, records, without_id, unreadable_fields)
         values ($1, $2, 'payment', 0, 0, 0)`,
        [customerId, runId],
      );
      const unitOfWork = survivor.app.get(UnitOfWork, { strict: false });
      const run = unitOfWork.run.bind(unitOfWork);
      const broken = jest.spyOn(unitOfWork, 'run').mockImplementation((work, options) => {
        return options?.deadlines === 'bulk' && options.customerId === customerId
          ? Promise.reject(new Error('Ours'))
          : run(work, options);
      });
      await survivor.app.get(RunReaper, { strict: false }).reap(new AbortController().signal);
      broken.mockRestore();
      expect(survivor.log).toContainEqual(
        expect.objectContaining({
          level: 'warn',
          msg: 'What a run had staged could not be removed',
          customer_id: customerId,
          run_id: runId,
        }),
      );
      await survivor.app.get(RunReaper, { strict: false }).reap(new AbortController().signal);
      expect(await stored.query('select from sync_checkpoints where customer_id = $1', [customerId])).toEqual(
        [],
      );
    });
  });

  it('leaves a whole reading whose gaps are not forgotten', async () => {
    const { client, customerId } = await afterTheKill('everything');
    await connect(client, 'platform_a');
    const [connection] = (await client.get('/connections')).body.data.connections;
    expect(connection.sync).toMatchObject({
      status: 'done',
      complete: false,
      gaps: ['company 5: projects (403)'],
      deleted: 0,
    });
    // The payment was missed once; of the projects nothing is concluded.
    const missed = await stored.query(
      'select entity_type, platform_id from platform_records where customer_id = $1 and missed > 0',
      [customerId],
    );
    expect(missed).toEqual([{ entity_type: 'payment', platform_id: '6' }]);
  });
});
