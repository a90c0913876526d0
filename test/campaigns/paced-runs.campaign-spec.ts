// Runs within the platforms' limits, in simulated time: they take hardly longer than the limits permit, and are never refused.
import { createSecretKey, randomBytes } from 'node:crypto';
import { storedEntityTypes, stringifyJson, type JsonObject, type PlatformName } from '@app/mapper';
import {
  generatedPortfolio,
  startPlatformA,
  startPlatformB,
  type LoggedRequest,
  type RunningPlatformA,
  type RunningPlatformB,
} from '@app/simulators';
import type * as LimiterStates from '../../src/platforms/live/pacing/limiter-states.repository';
import { PAGE_SIZES } from '../../src/platforms/platform_b/reading/page-sizes';
import { LiveConnectionsModule } from '../../src/connections/live-connections.module';
import { LiveConnectionsService } from '../../src/connections/live-connections.service';
import { api } from '../support/app/api';
import { startApp, type RunningApp } from '../support/app/app';
import { campaign } from '../support/campaign/campaign';
import { StoredRecords } from '../support/database/stored-records';
import { VirtualTime } from '../support/this-process/virtual-time';

let mockTime: VirtualTime;
jest.mock('../../src/platforms/live/pacing/limiter-states.repository', () => {
  const actual = jest.requireActual<typeof LimiterStates>(
    '../../src/platforms/live/pacing/limiter-states.repository',
  );
  return {
    ...actual,
    lockLimiter: async (...args: Parameters<typeof actual.lockLimiter>) => ({
      ...(await actual.lockLimiter(...args)),
      clock: mockTime.clock.now(),
    }),
  };
});

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** A limit: this number of calls in any window of this length. */
interface Limit {
  readonly calls: number;
  readonly windowMs: number;
}
const SPIKE: Limit = { calls: 25, windowMs: 10 * SECOND };
const HOURLY: Limit = { calls: 600, windowMs: HOUR };
const FIVE_MINUTES: Limit = { calls: 6_000, windowMs: 300 * SECOND };

/**
 * Milliseconds from the first to the last of a number of calls, for a client that sends each call as soon as all
 * limits permit it.
 */
function leastMs(calls: number, limits: readonly Limit[]): number {
  const sent: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    const earliest = limits.map((limit) => {
      const before = sent[call - limit.calls];
      return before === undefined ? 0 : before + limit.windowMs;
    });
    sent.push(Math.max(sent[call - 1] ?? 0, ...earliest));
  }
  return sent.at(-1) ?? 0;
}

/** The same for a client that spreads its calls evenly. */
const evenMs = (calls: number, { calls: each, windowMs }: Limit): number => (calls / each) * windowMs;

// On a busy machine, time may pass during work that the test does not observe. That only adds time, so a later attempt
// may succeed where an earlier one failed; a run that really takes too long fails in each.
jest.retryTimes(3);

campaign('paced-runs', (campaign) => {
  const instances: RunningApp[] = [];
  let a: RunningPlatformA;
  let b: RunningPlatformB;
  const key = { id: 'k', key: createSecretKey(randomBytes(32)) };

  beforeEach(() => {
    mockTime = new VirtualTime();
    mockTime.start();
  });
  afterEach(async () => {
    for (const one of instances.splice(0).reverse()) await one.close();
    await a?.close();
    await b?.close();
    await mockTime.stop();
    jest.restoreAllMocks();
  });

  async function instance(databaseUrl?: string): Promise<RunningApp> {
    const one = await startApp(
      {
        credentialsKeys: [key],
        connectWaitMs: 150_000,
        syncIntervalMs: 0,
        ...(databaseUrl !== undefined && { databaseUrl }),
      },
      [LiveConnectionsModule],
    );
    instances.push(one);
    return one;
  }
  async function open(at: RunningApp, platform: PlatformName, more: JsonObject = {}) {
    const { key: apiKey, customerId } = await at.issueKey('live');
    const credentials: JsonObject =
      platform === 'platform_a'
        ? { ...a.credentials, login_url: a.loginUrl, api_url: a.apiUrl }
        : { ...b.credentials, token_url: b.tokenUrl, api_url: b.apiUrl, payments_url: b.paymentsUrl };
    await at.app
      .get(LiveConnectionsService, { strict: false })
      .set(customerId, platform, stringifyJson({ ...credentials, ...more }));
    return { customerId, client: api(at.url, apiKey) };
  }
  const load = async (client: ReturnType<typeof api>, platform: PlatformName) => {
    const answer = await client.post('/connect', { platform });
    expect(answer).toMatchObject({ status: 200, body: { data: { status: 'connected' } } });
  };
  /** The calls that count against the limits, and the platform's time from the first to the last of them. */
  const paced = (log: readonly LoggedRequest[]) => {
    const calls = log.filter(({ path }) => !path.endsWith('/token'));
    expect(calls.filter(({ status }) => status === 429 || status === 503)).toEqual([]);
    const times = calls.map(({ at }) => new Date(at).getTime());
    return { calls: calls.length, ms: Math.max(...times) - Math.min(...times) };
  };
  const count = ({ calls, ms }: { calls: number; ms: number }): void => {
    campaign.count('runs');
    campaign.count('calls', calls);
    campaign.count('seconds of the platforms', ms / SECOND);
  };

  campaign.part(
    'take hardly longer than the ten seconds of platform_a permit, and are never refused',
    async () => {
      const portfolio = generatedPortfolio({ contracts: 150, seed: campaign.seed }).platform_a;
      a = await startPlatformA({ clock: mockTime.clock, portfolio });
      const { client } = await open(await instance(), 'platform_a');
      await load(client, 'platform_a');
      const run = paced(a.control.log.list(/ \/rest\//));
      count(run);
      expect(run.calls).toBeGreaterThan(200);
      expect(run.calls).toBeLessThan(HOURLY.calls * 0.95);
      expect(run.ms).toBeLessThanOrEqual(evenMs(run.calls, SPIKE) * 1.1);
    },
  );

  campaign.part('take hardly longer than the hour of platform_a permits, and are never refused', async () => {
    const portfolio = generatedPortfolio({ contracts: 650, seed: campaign.seed }).platform_a;
    a = await startPlatformA({ clock: mockTime.clock, portfolio });
    const { client } = await open(await instance(), 'platform_a');
    await load(client, 'platform_a');
    const run = paced(a.control.log.list(/ \/rest\//));
    const least = leastMs(run.calls, [SPIKE, HOURLY]);
    count(run);
    expect(run.calls).toBeGreaterThan(2 * HOURLY.calls);
    expect(run.ms).toBeLessThanOrEqual(least * 1.1);
  });

  campaign.part('take hardly longer than platform_b permits for ever, and are never refused', async () => {
    // Small pages and fast answers, so that there are many calls.
    mockTime.callMs = 20;
    for (const entityType of storedEntityTypes) jest.replaceProperty(PAGE_SIZES, entityType, 2);
    const portfolio = generatedPortfolio({ contracts: 250, seed: campaign.seed }).platform_b;
    b = await startPlatformB({ clock: mockTime.clock, portfolio });
    const { client } = await open(await instance(), 'platform_b');
    await load(client, 'platform_b');
    const run = paced(b.control.log.list(/companies/));
    const even = evenMs(run.calls, FIVE_MINUTES);
    count(run);
    expect(run.calls).toBeGreaterThan(300);
    expect(run.ms).toBeLessThanOrEqual(even * 1.1);
  });

  for (const where of ['one instance', 'two instances'])
    campaign.part(
      `of two customers with one credential share its rate limiter and take turns, on ${where}`,
      async () => {
        const portfolio = generatedPortfolio({ contracts: 80, seed: campaign.seed }).platform_a;
        a = await startPlatformA({ clock: mockTime.clock, portfolio });
        const first = await instance();
        const second = where === 'one instance' ? first : await instance(first.databaseUrl);
        const order: string[] = [];
        mockTime.sending = ({ headers = {} }) => {
          if (headers['authorization'] !== undefined) order.push(headers['authorization']);
        };
        const one = await open(first, 'platform_a');
        const other = await open(second, 'platform_a', { currency: 'USD' });
        await Promise.all([load(one.client, 'platform_a'), load(other.client, 'platform_a')]);

        const run = paced(a.control.log.list(/ \/rest\//));
        count(run);
        expect(run.ms).toBeLessThanOrEqual(evenMs(run.calls, SPIKE) * 1.1);
        const tokens = [...new Set(order)];
        expect(tokens).toHaveLength(2);
        // The part of the order in which both customers read.
        const from = Math.max(...tokens.map((token) => order.indexOf(token)));
        const until = Math.min(...tokens.map((token) => order.lastIndexOf(token)));
        expect(until - from).toBeGreaterThan(order.length / 2);
        const longest = longestRow(order.slice(from, until));
        expect(longest).toBeLessThanOrEqual(8);
        const stored = await StoredRecords.open(first.databaseUrl);
        const limiters = await stored.query<{ platform: string; text: string }>(
          `select platform, credential || state::text as text from platform_rate_limiters`,
        );
        await stored.close();
        expect(limiters.map(({ platform }) => platform)).toEqual(['platform_a']);
        for (const secret of Object.values(a.credentials)) expect(limiters[0]?.text).not.toContain(secret);
      },
    );
});

/** The length of the longest run of equal items. */
function longestRow(items: readonly string[]): number {
  let [longest, row] = [0, 0];
  for (const [index, item] of items.entries()) {
    row = item === items[index - 1] ? row + 1 : 1;
    longest = Math.max(longest, row);
  }
  return longest;
}
