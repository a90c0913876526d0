import { Client } from 'pg';
import type { PortfolioRecord } from '@app/behaviour';
import { keysSetting, masterKey } from '../e2e/credentials/master-keys';
import { Dispatcher } from '../../src/outbox/dispatch/dispatcher';
import { api, type Answer } from './api';
import { startApp, type Caller, type RunningApp } from './app';
import { endBackgroundTasks } from './background-tasks';
import { startCommitProxy, type CommitProxy } from './commit-proxy';
import { migratedDatabase, type TestDatabase } from './database';
import { FeedReader } from './feed';
import { hurry } from './hasty-platforms';
import { recordsToChange } from './live-campaign/records';
import {
  goLive,
  startWitnessedPlatforms,
  type WitnessedPlatforms,
} from './live-campaign/witnessed-platforms';
import { creations, customersOfB, deliveries, liveChanges, notices, until } from './live-work';
import { platforms, portfolioOf, type Portfolio } from './portfolio';
import { openPublicAddress, type PassedRequest, type PublicAddress } from './public-address';
import {
  changes,
  connects,
  connectsTo,
  decisions,
  endLeases,
  ownFields,
  untilDone,
  type RepeatedWork,
} from './repeated-work';
import { Succession } from './succession';
import { startReceiver, type WebhookReceiver } from './webhook-receiver';

/** Customers that there are to be created: more than a campaign creates in hours. */
const TO_CREATE = 1_000;

/**
 * Courses whose requests are cut by one kill. Each holds connections of the instance, of which there are few, until it is killed;
 * it and the number of all have no common divisor.
 */
const AT_ONCE = 4;

/** Milliseconds that no campaign takes. */
const NEVER_MS = 1_000_000_000;

/** Payments of the small portfolio of platform_a. */
const LIVE_PAYMENTS = 3;

/** A payment that both sandboxes have; another one. */
const CHANGED = ['1823456', 'a34e74db-53c7-4368-8fe7-bb87c83c7902'] as const;
const DECIDED = ['1823502', '92fbc013-8f0d-4443-a376-030481c85182'] as const;

/** Work of one customer. */
export interface Course {
  readonly work: RepeatedWork;
  readonly portfolio: Portfolio;
  /** How many of its requests were sent. */
  steps: number;
}

/** The platforms of each live customer, by what it does there. */
type SimulatedPlatforms = Readonly<Record<'changed' | 'created' | 'read' | 'told', WitnessedPlatforms>>;

/** A request that was sent to an instance that is going to be killed. */
export interface SentRequest {
  readonly course: Course;
  /** Undefined where it got none, or was told to come again. */
  readonly answer: Promise<Answer | undefined>;
  /** Resolves when all that it asks for has come; never where the instance is killed before it answers. */
  readonly done: Promise<void>;
}

/**
 * Customers of sandboxes and of live platforms, each with requests of one kind to an instance that is killed at times, and another
 * instance that only looks.
 */
export class KilledCourses {
  private readonly courses: Course[] = [];
  private turn = 0;

  private constructor(
    private readonly database: TestDatabase,
    private readonly client: Client,
    private readonly office: RunningApp,
    readonly proxy: CommitProxy,
    private readonly succession: Succession,
    private readonly address: PublicAddress,
    private readonly receiver: WebhookReceiver,
    private readonly simulated: SimulatedPlatforms,
  ) {}

  /** @param seed of the simulated platforms */
  static async start(seed: number): Promise<KilledCourses> {
    const key = masterKey('killed');
    const database = await migratedDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const [address, receiver, proxy] = await Promise.all([
      openPublicAddress(),
      startReceiver(),
      startCommitProxy(database.url),
    ]);
    const settings = { databaseUrl: database.url, credentialsKeys: [key], syncIntervalMs: 0 } as const;
    const office = await startApp({ ...settings, logLevel: 'error' });
    hurry(office.app);
    // All work is for instances that may be killed.
    await endBackgroundTasks(office.app);
    await office.app.get(Dispatcher, { strict: false }).beforeApplicationShutdown();
    const succession = await Succession.start(proxy.url, () => ({
      CREDENTIALS_KEYS: keysSetting(key),
      SYNC_INTERVAL: '0',
      SYNC_PAUSE: '0',
      PUBLIC_URL: address.url,
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    }));
    address.instances.push(succession.url);
    const customers = customersOfB(TO_CREATE);
    const silent = { webhookDelayMs: NEVER_MS };
    const simulated = {
      changed: await startWitnessedPlatforms(seed, silent),
      created: await startWitnessedPlatforms(seed + 1, silent, customers),
      read: await startWitnessedPlatforms(seed + 2, silent),
      told: await startWitnessedPlatforms(seed + 3, { webhookDelayMs: 0 }),
    };
    const all = new KilledCourses(database, client, office, proxy, succession, address, receiver, simulated);
    try {
      await all.open(simulated, customers);
    } catch (error) {
      await all.close();
      throw error;
    }
    return all;
  }

  private async open(
    { changed, created, read, told }: SimulatedPlatforms,
    customers: readonly PortfolioRecord[],
  ): Promise<void> {
    for (const work of [changes(...CHANGED), connects, decisions(...DECIDED), ownFields])
      this.add(work, await this.openSandboxes());
    const listener = await this.openSandboxes();
    this.add(await this.delivered(listener), listener);
    this.add(liveChanges(changed), await this.openLive(changed));
    this.add(creations(created, customers), await this.openLive(created));
    this.add({ ...connectsTo(LIVE_PAYMENTS), name: 'live connect' }, await this.openLive(read));
    const informed = await this.openLive(told);
    this.add(notices(told, await this.firstNotice(told, informed)), informed);
  }

  private add(work: RepeatedWork, portfolio: Portfolio): void {
    this.courses.push({ work, portfolio, steps: 0 });
  }

  private async openSandboxes(): Promise<Portfolio> {
    return this.opened(await this.office.openSession());
  }

  private async openLive(simulated: WitnessedPlatforms): Promise<Portfolio> {
    const caller = await this.office.issueKey('live');
    await goLive(this.office, caller, simulated, false);
    return this.opened(caller);
  }

  private async opened(caller: Caller): Promise<Portfolio> {
    const portfolio = portfolioOf(this.office.url, caller, this.client);
    for (const platform of platforms) await portfolio.connect(platform);
    return portfolio;
  }

  private async delivered(portfolio: Portfolio): Promise<RepeatedWork> {
    const seen = new FeedReader();
    await seen.read(portfolio.client);
    const made = await api(this.succession.url, portfolio.key).post('/webhook-endpoints', {
      url: this.receiver.url,
    });
    expect(made.status).toBe(200);
    const { secret } = made.body.data as { secret: string };
    return deliveries(changes(...CHANGED), this.receiver, secret, seen);
  }

  /** A notice as the platform sends it. Later ones are sent for it: it would wait for seconds behind each that was cut. */
  private async firstNotice({ a }: WitnessedPlatforms, { customerId }: Caller): Promise<PassedRequest> {
    await until('notices are subscribed', async () => {
      const { rows } = await this.client.query<{ made: number }>(
        `select count(*)::int as made from webhook_subscriptions
         where customer_id = $1 and platform = 'platform_a' and is_made`,
        [customerId],
      );
      return rows[0]?.made === 1;
    });
    a.control.edit('change_record', {
      kind: 'contract_payments',
      id: Number(recordsToChange.payment.ids.platform_a),
      set: { notes: 'told first' },
      quiet: true,
    });
    const isNotice = ({ target, body, status }: PassedRequest) =>
      target.includes('platform_a') && body !== '' && status === 200;
    await until('a notice is sent', () => this.address.passed.some(isNotice));
    a.control.switches.set('webhookDelayMs', NEVER_MS);
    const notice = this.address.passed.findLast(isNotice);
    if (notice === undefined) throw new Error('A notice has come');
    return notice;
  }

  /** The courses whose turn it is. */
  next(): readonly Course[] {
    const chosen = Array.from(
      { length: AT_ONCE },
      (_, place) => this.courses[(this.turn + place) % this.courses.length],
    );
    this.turn += AT_ONCE;
    return chosen.filter((course) => course !== undefined);
  }

  /** Sends the next request of each of some customers. */
  send(courses: readonly Course[]): readonly SentRequest[] {
    return courses.map((course) => {
      course.steps += 1;
      const { work, portfolio, steps } = course;
      const answer = work
        .send(this.succession.url, portfolio, steps)
        .then((one) => (one.status < 300 ? one : undefined))
        .catch(() => undefined);
      const done = answer.then((one) =>
        one === undefined ? new Promise<void>(() => undefined) : work.follow?.(portfolio, steps),
      );
      // Who repeats the request is told.
      done.catch(() => undefined);
      return { course, answer, done };
    });
  }

  /** Ends the instance in the middle of its work; the next one goes on with it. */
  async kill(): Promise<void> {
    await this.succession.kill();
    this.proxy.endHolds();
    for (const { portfolio } of this.courses) await endLeases(portfolio);
    await this.succession.succeed();
  }

  /**
   * Sends requests again that were sent before a kill, as clients do. Expects that each has one effect and one answer.
   *
   * @returns how many answers were compared with one that came before
   */
  async repeat(sent: readonly SentRequest[]): Promise<{ readonly cut: number; readonly compared: number }> {
    const compared = await Promise.all(sent.map((one) => this.repeatOne(one)));
    const answers = await Promise.all(sent.map(({ answer }) => answer));
    return {
      cut: answers.filter((answer) => answer === undefined).length,
      compared: compared.filter(Boolean).length,
    };
  }

  private async repeatOne({ course, answer }: SentRequest): Promise<boolean> {
    const { work, portfolio, steps } = course;
    const first = await answer;
    const send = () => work.send(this.succession.url, portfolio, steps);
    try {
      const done = work.isSentOnce === true && first !== undefined ? first : await untilDone(send);
      await work.follow?.(portfolio, steps);
      const again = work.isSentOnce === true ? done : await untilDone(send);
      await work.expectOnce(portfolio, steps, done);
      if (!work.isKeyed) return false;
      expect(again.headers.get('Idempotent-Replayed')).toBe('true');
      expect(again.text).toBe(done.text);
      if (first !== undefined) expect(withoutStates(done)).toEqual(withoutStates(first));
      return true;
    } catch (error) {
      throw new Error(`${work.name} ${steps}`, { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.succession.close();
    await this.office.close();
    await Promise.all([this.address.close(), this.receiver.close(), this.proxy.close()]);
    for (const one of Object.values(this.simulated)) await one.close();
    await this.client.end();
    await this.database.drop();
  }
}

/** An answer but for what may be decided after it: a replay shows what became of the parts that waited. */
function withoutStates({ body }: Answer): unknown {
  return { ...body.data, propagated: undefined, warnings: undefined };
}
