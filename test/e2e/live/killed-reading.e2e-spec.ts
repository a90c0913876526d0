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
import { api } from '../../support/api';
import { startApp, type Caller, type RunningApp } from '../../support/app';
import { shortenWaits, withoutRateLimits } from '../../support/short-waits';
import type { Platform } from '../../support/portfolio';
import { startServiceProcess, type ServiceProcess } from '../../support/service-process';
import { StoredRecords } from '../../support/stored-records';
import { keysSetting, masterKey } from '../credentials/master-keys';

// Processes are started and killed.
jest.setTimeout(240_000);

const [place = 0.5] = fc.sample(fc.double({ min: 0, max: 0.999, noNaN: true }), { seed, numRuns: 1 });

/** Records that platform_a completes one by one between two checkpoints, and what is asked again at each beginning. */
const MOST_AGAIN = 28;

/** Records of a page of platform_b, so that a reading has many pages. */
const PAGE = 7;

const usualPages = { ...PAGE_SIZES };

describe('an instance that is killed during the first reading of a platform', () => {
  withoutRateLimits();
  let office: RunningApp;
  let stored: StoredRecords;
  let a: RunningPlatformA;
  let b: RunningPlatformB;
  const services: ServiceProcess[] = [];
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
    const start = () => startServiceProcess(office.databaseUrl, { main: 'run-live-service.ts', env });
    services.push(...(await Promise.all([start(), start()])));
  });
  afterAll(async () => {
    for (const service of services) await service.kill();
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

  it.each(['platform_a', 'platform_b'] as const)(
    `is followed by another one, which goes on where it was (${seed}, %s)`,
    async (platform) => {
      const { control } = platform === 'platform_a' ? a : b;
      const path = platform === 'platform_a' ? '^/rest/' : '/api/';
      const answered = () =>
        control.log
          .list(platform === 'platform_a' ? / \/rest\// : /\/api\//)
          .filter(({ handled }) => handled)
          .map(({ path: one }) => one);
      const victim = services[0];
      // The one that goes on runs beside the test: nobody kills it.
      const other = office;
      if (victim === undefined) throw new Error('Each test kills one instance');

      // What a reading that nobody disturbs takes, and brings.
      const reader = await openLive(platform);
      control.log.clear();
      const { status: read, body: what } = await api(other.url, reader.key).post('/connect', { platform });
      expect({ read, what }).toEqual({ read: 200, what });
      const asked = answered();
      expect(asked.length).toBeGreaterThan(10);

      const caller = await openLive(platform);
      control.log.clear();
      const nth = 2 + Math.floor(place * (asked.length - 2));
      control.faults.add({ kind: 'hang', match: { path, nth }, times: 0 });
      const cut = api(victim.url, caller.key)
        .post('/connect', { platform })
        .catch(() => 'cut');
      while (control.faults.list().every(({ met }) => met === 0)) await sleep(10);
      const known = await callsStored(caller);
      await victim.kill();
      services.shift();
      expect(await cut).toBe('cut');
      control.faults.clear();
      const answeredBefore = answered();
      const before = new Set(answeredBefore);
      expect(before.size).toBeLessThan(asked.length);
      control.log.clear();
      await stored.query(
        `update sync_runs set lease_until = now() - interval '1 second' where customer_id = $1 and status = 'running'`,
        [caller.customerId],
      );

      const { status, body } = await api(other.url, caller.key).post('/connect', { platform });
      expect({ status, mode: body.data.mode }).toEqual({ status: 200, mode: 'live' });
      const after = answered();
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
