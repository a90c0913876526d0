import { Pool } from 'pg';
import type { PortfolioRecord } from '@app/behaviour';
import { keysSetting, masterKey } from '../../e2e/credentials/master-keys';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import { api, type ApiResponse } from '../app/api';
import { startApp, type Caller, type RunningApp } from '../app/app';
import { endBackgroundTasks } from '../app/background-tasks';
import { startCommitProxy, type CommitProxy } from '../database/commit-proxy';
import { migratedDatabase, type TestDatabase } from '../database/database';
import { FeedReader } from '../customers/feed';
import { shortenWaits } from '../app/short-waits';
import { recordsToChange } from './live/records';
import { goLive, startWitnessedPlatforms, type WitnessedPlatforms } from './live/witnessed-platforms';
import { creations, customersOfB, deliveries, liveChanges, notices, until } from '../live/live-work';
import { platforms, portfolioOf, type Portfolio } from '../customers/portfolio';
import { openPublicAddress, type PassedRequest, type PublicAddress } from '../http/public-address';
import {
  changes,
  connects,
  connectsTo,
  decisions,
  endLeases,
  ownFields,
  untilDone,
  type RepeatedWork,
} from '../customers/repeated-work';
import { Succession } from '../processes/succession';
import { startReceiver, type WebhookReceiver } from '../http/webhook-receiver';

/** Customers of platform_b that the work of creating records uses: more than a campaign creates in hours. */
const TO_CREATE = 1_000;

/**
 * Workloads whose requests are interrupted by one kill. Each of them holds connections of the instance, which has few,
 * until the kill. The number has no common divisor with the number of all workloads, so the combinations vary.
 */
const AT_ONCE = 4;

/** Longer than any campaign, in milliseconds: nothing happens after this delay. */
const NEVER_MS = 1_000_000_000;

/** Payments of the small portfolio of platform_a. */
const LIVE_PAYMENTS = 3;

/**
 * Payments that both sandboxes have, by their IDs there: the one that changes, and the one that decisions are about.
 */
const CHANGED = ['1823456', 'a34e74db-53c7-4368-8fe7-bb87c83c7902'] as const;
const DECIDED = ['1823502', '92fbc013-8f0d-4443-a376-030481c85182'] as const;

/** One kind of work that a customer repeats. */
export interface Workload {
  readonly work: RepeatedWork;
  readonly portfolio: Portfolio;
  /** The number of requests sent so far. */
  steps: number;
}

/** The platforms of each live customer, by what it does there. */
type SimulatedPlatforms = Readonly<Record<'changed' | 'created' | 'read' | 'told', WitnessedPlatforms>>;

/** A request that was sent to an instance that is going to be killed. */
export interface SentRequest {
  readonly workload: Workload;
  /** Undefined if no answer arrived, or the answer told the client to try again. */
  readonly answer: Promise<ApiResponse | undefined>;
  /**
   * Resolves when the work that the request started is complete. If the instance is killed before it answers, it never
   * resolves.
   */
  readonly done: Promise<void>;
}

/**
 * Customers of sandboxes and of live platforms. Each sends requests of one kind to an instance that is killed now and
 * then. A second instance (`office`) only reads.
 */
export class InterruptedWork {
  private readonly workloads: Workload[] = [];
  private turn = 0;

  private constructor(
    private readonly database: TestDatabase,
    private readonly rows: Pool,
    private readonly office: RunningApp,
    readonly proxy: CommitProxy,
    private readonly succession: Succession,
    private readonly address: PublicAddress,
    private readonly receiver: WebhookReceiver,
    private readonly simulated: SimulatedPlatforms,
  ) {}

  /** @param seed of the simulated platforms */
  static async start(seed: number): Promise<InterruptedWork> {
    const key = masterKey('killed');
    const database = await migratedDatabase();
    // A client takes one query at a time. A pool of one connection queues the queries of concurrent requests.
    const rows = new Pool({ connectionString: database.url, max: 1, idleTimeoutMillis: 0 });
    const [address, receiver, proxy] = await Promise.all([
      openPublicAddress(),
      startReceiver(),
      startCommitProxy(database.url),
    ]);
    const settings = { databaseUrl: database.url, credentialsKeys: [key], syncIntervalMs: 0 } as const;
    const office = await startApp({ ...settings, logLevel: 'error' });
    shortenWaits(office.app);
    // Only instances that may be killed do work.
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
    const all = new InterruptedWork(database, rows, office, proxy, succession, address, receiver, simulated);
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
    this.workloads.push({ work, portfolio, steps: 0 });
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
    const portfolio = portfolioOf(this.office.url, caller, this.rows);
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

  /**
   * A notice as the platform sends it. The test sends later notices itself, because the platform would wait for
   * seconds after each interrupted one.
   */
  private async firstNotice({ a }: WitnessedPlatforms, { customerId }: Caller): Promise<PassedRequest> {
    await until('notices are subscribed', async () => {
      const { rows } = await this.rows.query<{ made: number }>(
        `select count(*)::int as made from webhook_subscriptions
         where customer_id = $1 and platform = 'platform_a' and is_confirmed`,
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

  /** The next workloads in turn. */
  next(): readonly Workload[] {
    const chosen = Array.from(
      { length: AT_ONCE },
      (_, place) => this.workloads[(this.turn + place) % this.workloads.length],
    );
    this.turn += AT_ONCE;
    return chosen.filter((workload) => workload !== undefined);
  }

  /** Sends the next request of each workload. */
  send(workloads: readonly Workload[]): readonly SentRequest[] {
    return workloads.map((workload) => {
      workload.steps += 1;
      const { work, portfolio, steps } = workload;
      const answer = work
        .send(this.succession.url, portfolio, steps)
        .then((one) => (one.status < 300 ? one : undefined))
        .catch(() => undefined);
      const done = answer.then((one) =>
        one === undefined ? new Promise<void>(() => undefined) : work.follow?.(portfolio, steps),
      );
      // The caller that repeats the request receives the error.
      done.catch(() => undefined);
      return { workload, answer, done };
    });
  }

  /** Kills the instance while it works, and starts the next one, which continues the work. */
  async kill(): Promise<void> {
    await this.succession.kill();
    this.proxy.endHolds();
    for (const { portfolio } of this.workloads) await endLeases(portfolio);
    await this.succession.startNext();
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

  private async repeatOne({ workload, answer }: SentRequest): Promise<boolean> {
    const { work, portfolio, steps } = workload;
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
    await this.rows.end();
    await this.database.drop();
  }
}

/**
 * An answer without the parts that may be decided after it: a replay shows the present states of the waiting parts.
 */
function withoutStates({ body }: ApiResponse): unknown {
  return { ...body.data, propagated: undefined, warnings: undefined };
}
