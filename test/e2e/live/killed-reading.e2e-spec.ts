import { setTimeout as sleep } from 'node:timers/promises';
import { storedEntityTypes, type JsonObject } from '@app/mapper';
import {
  connectionsTo,
  generatedPortfolio,
  startPlatformA,
  startPlatformB,
  type RunningPlatformA,
  type RunningPlatformB,
} from '@app/simulators';
import { fc, seed } from '../../../libs/mapper/src/testing/property';
import { PAGE_SIZES } from '../../../src/platforms/platform_b/reading/page-sizes';
import { CredentialsService } from '../../../src/platforms/credentials/credentials.service';
import { Secrets } from '../../../src/platforms/credentials/secrets';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import { api } from '../../support/app/api';
import { startApp, type Caller, type RunningApp } from '../../support/app/app';
import { shortenWaits, withoutRateLimits } from '../../support/app/short-waits';
import { platforms, type Platform } from '../../support/customers/portfolio';
import { startServiceProcess, type ServiceProcess } from '../../support/processes/service-process';
import { StoredRecords } from '../../support/database/stored-records';
import { keysSetting, masterKey } from '../credentials/master-keys';

// A process is started and killed.
jest.setTimeout(240_000);

const [place = 0.5] = fc.sample(fc.double({ min: 0, max: 0.999, noNaN: true }), { seed, numRuns: 1 });

/** Records that platform_a completes one by one between two checkpoints, and what is asked again at each beginning. */
const MOST_AGAIN = 28;

/** Records of a page of platform_b, so that a reading has many pages. */
const PAGE = 7;

const usualPages = { ...PAGE_SIZES };

describe('an instance that is killed during the first readings of both platforms', () => {
  withoutRateLimits();
  let office: RunningApp;
  let stored: StoredRecords;
  let a: RunningPlatformA;
  let b: RunningPlatformB;
  let victim: ServiceProcess;
  beforeAll(async () => {
    for (const entityType of storedEntityTypes) Object.assign(PAGE_SIZES, { [entityType]: PAGE });
    const key = masterKey('reading');
    office = await startApp({ credentialsKeys: [key], syncIntervalMs: 0 });
    shortenWaits(office.app);
    await office.app.get(Dispatcher, { strict: false }).beforeApplicationShutdown();
    stored = await StoredRecords.open(office.databaseUrl);
    const portfolio = generatedPortfolio({ contracts: 60, seed: 11 });
    a = await startPlatformA({
      portfolio: portfolio.platform_a,
      switches: { spikeLimit: 0, hourlyLimit: 0 },
    });
    b = await startPlatformB({ portfolio: portfolio.platform_b });
    const env = { CREDENTIALS_KEYS: keysSetting(key), SYNC_INTERVAL: '0', PAGE_SIZE_OF_B: String(PAGE) };
    victim = await startServiceProcess(office.databaseUrl, { main: 'run-live-service.ts', env });
  });
  afterAll(async () => {
    await victim.kill();
    await a.close();
    await b.close();
    await stored.close();
    await office.close();
    Object.assign(PAGE_SIZES, usualPages);
    expect([...a.control.defects, ...b.control.defects]).toEqual([]);
  });

  async function openLive(platform: Platform): Promise<Caller> {
    const caller = await office.issueKey('live');
    const to = connectionsTo({ platform_a: a, platform_b: b, close: () => Promise.resolve() });
    const { client_secret: secret, ...settings } = to[platform].credentials;
    await office.app
      .get(CredentialsService, { strict: false })
      .set(
        caller.customerId,
        platform,
        settings,
        new Secrets({ client_secret: typeof secret === 'string' ? secret : '' }),
      );
    return caller;
  }

  async function records({ key }: Caller, platform: Platform): Promise<readonly JsonObject[]> {
    const all: JsonObject[] = [];
    for (const entityType of storedEntityTypes) {
      const { status, body } = await api(office.url, key).get(
        `/objects?platform=${platform}&entity_type=${entityType}`,
      );
      expect(status).toBe(200);
      all.push(...body.data.map((one: { platform_data: JsonObject }) => one.platform_data));
    }
    return all;
  }

  /** Calls whose answers are in the checkpoints, once nothing more comes. */
  async function callsStored({ customerId }: Caller): Promise<number> {
    let calls = -1;
    for (let same = 0; same < 10; same += 1) {
      await sleep(40);
      const [row] = await stored.query<{ calls: number }>(
        'select coalesce(sum(calls), 0)::int as calls from sync_checkpoints where customer_id = $1',
        [customerId],
      );
      if (row?.calls !== calls) same = 0;
      calls = row?.calls ?? 0;
    }
    return calls;
  }

  const controlOf = (platform: Platform) => (platform === 'platform_a' ? a : b).control;
  const answered = (platform: Platform): readonly string[] =>
    controlOf(platform)
      .log.list(platform === 'platform_a' ? / \/rest\// : /\/api\//)
      .filter(({ handled }) => handled)
      .map(({ path }) => path);

  /** A reading that ends with its instance, and one that nothing disturbs. */
  interface CutReading {
    readonly caller: Caller;
    readonly reader: Caller;
    /** What the undisturbed reading asked for. */
    readonly asked: readonly string[];
    readonly answer: Promise<unknown>;
    /** Calls whose answers were in the checkpoints. */
    readonly known: number;
  }

  /** Reads a platform undisturbed, and names what that asked for. */
  async function readBy(reader: Caller, platform: Platform): Promise<readonly string[]> {
    controlOf(platform).log.clear();
    const { status, body } = await api(office.url, reader.key).post('/connect', { platform });
    expect({ status, body }).toEqual({ status: 200, body });
    const asked = answered(platform);
    expect(asked.length).toBeGreaterThan(10);
    return asked;
  }

  /** Begins a reading at the victim, and has the platform leave it waiting at one of its calls. */
  async function begin(platform: Platform, reader: Caller, asked: readonly string[]): Promise<CutReading> {
    const { log, faults } = controlOf(platform);
    const caller = await openLive(platform);
    log.clear();
    const nth = 2 + Math.floor(place * (asked.length - 2));
    const path = platform === 'platform_a' ? '^/rest/' : '/api/';
    faults.add({ kind: 'hang', match: { path, nth }, times: 0 });
    const answer = api(victim.url, caller.key)
      .post('/connect', { platform })
      .catch(() => 'cut');
    while (faults.list().every(({ met }) => met === 0)) await sleep(10);
    return { caller, reader, asked, answer, known: await callsStored(caller) };
  }

  const readings = new Map<Platform, CutReading>();
  beforeAll(async () => {
    const undisturbed: (readonly [Platform, Caller, readonly string[]])[] = [];
    for (const platform of platforms) {
      const reader = await openLive(platform);
      undisturbed.push([platform, reader, await readBy(reader, platform)]);
    }
    await Promise.all(
      undisturbed.map(async (one) => {
        readings.set(one[0], await begin(...one));
      }),
    );
    await victim.kill();
    for (const platform of platforms) controlOf(platform).faults.clear();
  });

  it.each(platforms)(
    `is followed by another one, which goes on where it was (${seed}, %s)`,
    async (platform) => {
      const reading = readings.get(platform);
      if (reading === undefined) throw new Error('Both readings were cut');
      const { caller, reader, asked, known } = reading;
      expect(await reading.answer).toBe('cut');
      const answeredBefore = answered(platform);
      const before = new Set(answeredBefore);
      expect(before.size).toBeLessThan(asked.length);
      controlOf(platform).log.clear();
      await stored.query(
        `update sync_runs set lease_until = now() - interval '1 second' where customer_id = $1 and status = 'running'`,
        [caller.customerId],
      );

      // The one that goes on runs beside the test: nobody kills it.
      const { status, body } = await api(office.url, caller.key).post('/connect', { platform });
      expect({ status, mode: body.data.mode }).toEqual({ status: 200, mode: 'live' });
      const after = answered(platform);
      // Of what was read and stored nothing is asked again.
      // What any reading asks for twice says nothing.
      const twice = new Set(asked.filter((one, at) => asked.indexOf(one) !== at));
      const again = after.filter((one) => before.has(one) && !twice.has(one)).length;
      const most = answeredBefore.length - known + 4;
      expect({ again, most: Math.max(again, most) }).toEqual({ again, most });
      expect(most).toBeLessThanOrEqual(MOST_AGAIN);
      expect(asked.filter((one) => !before.has(one) && !after.includes(one))).toEqual([]);
      // No page is lost, and nothing came twice.
      expect(await records(caller, platform)).toEqual(await records(reader, platform));
      const [row] = await stored.query<{ runs: number; left: number }>(
        `select (select count(*) from sync_runs where customer_id = $1)::int as runs,
           (select count(*) from staged_records where customer_id = $1)::int as left`,
        [caller.customerId],
      );
      expect(row).toEqual({ runs: 1, left: 0 });
    },
  );
});
