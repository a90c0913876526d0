import { setTimeout as sleep } from 'node:timers/promises';
import { stringifyJson, type JsonObject, type PlatformName } from '@app/mapper';
import { SimulatedClock, startPlatformA, startPlatformB } from '@app/simulators';
import type { RunningPlatformA, RunningPlatformB } from '@app/simulators';
import { Clock } from '../../../src/runtime/clock/clock';
import { LiveConnectionsModule } from '../../../src/connections/live-connections.module';
import { LiveConnectionsService } from '../../../src/connections/live-connections.service';
import { RateLimiter } from '../../../src/platforms/live/pacing/rate-limiter';
import { SyncSchedule } from '../../../src/sync/execution/schedule';
import { SubscriptionWorker } from '../../../src/webhooks/subscription-worker';
import { keysSetting, masterKey } from '../../e2e/credentials/master-keys';
import { api } from '../app/api';
import { startApp, type Caller, type RunningApp } from '../app/app';
import { endBackgroundTasks } from '../app/background-tasks';
import { GivenRecords, record } from '../platforms/given-records';
import { limitInMemory } from './limits-in-memory';
import { connect } from '../customers/listings';
import { openPublicAddress, type PublicAddress } from '../http/public-address';
import { StoredRecords } from '../database/stored-records';
import { never } from '../this-process/never';

const HOUR = 3_600_000;

/** A customer with a live connection to each simulated platform. */
export interface LiveCustomer {
  readonly customerId: string;
  readonly client: ReturnType<typeof api>;
}

/**
 * Two instances behind one public address, and one simulated platform of each kind. No background work runs by itself.
 */
export interface WebhookService {
  readonly address: PublicAddress;
  readonly instances: readonly [RunningApp, RunningApp];
  readonly stored: StoredRecords;
  readonly a: RunningPlatformA;
  readonly b: RunningPlatformB;
  /** The environment in which operator commands can open the credentials. */
  readonly environment: Readonly<Record<string, string>>;
  /** Opens a customer with these platforms connected. */
  open(...platforms: readonly PlatformName[]): Promise<LiveCustomer>;
  /**
   * Opens a customer whose runs read the simulated platforms, not only the lists that show whether there was a run.
   */
  openReading(...platforms: readonly PlatformName[]): Promise<LiveCustomer>;
  /** What a connection to a simulated platform needs, as operators write it. */
  credentials(platform: PlatformName): JsonObject;
  /** Stores the credentials of a connection again. */
  setCredentials(customer: LiveCustomer, platform: PlatformName): Promise<void>;
  /** Lets every instance check the subscriptions that are due. */
  keep(): Promise<void>;
  /** Makes all connections due for a check. */
  makeDue(): Promise<void>;
  /** Advances the time of the platforms and of the service. Tokens expire. */
  pass(milliseconds: number): Promise<void>;
  /** Whether a run is requested. */
  isRequested(customer: LiveCustomer, platform: PlatformName): Promise<boolean>;
  /** Lets every instance run what is requested. Returns the number of runs of a customer. */
  read(customer: LiveCustomer): Promise<number>;
  until(isSo: () => boolean | Promise<boolean>): Promise<void>;
  /** Forgets all customers, and replaces the platforms by new ones, at the present time. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the instances and platforms.
 *
 * @param companyName the name of platform_b's company, if connections use the name instead of the ID
 */
export async function startWebhookService(companyName?: string): Promise<WebhookService> {
  const address = await openPublicAddress();
  const key = masterKey('first');
  const given = new GivenRecords();
  const options = {
    publicUrl: address.url,
    credentialsKeys: [key],
    syncIntervalMs: HOUR,
    syncPauseMs: 0,
    logLevel: 'trace',
  } as const;
  const first = await startApp(options, [LiveConnectionsModule], given);
  const second = await startApp(
    { ...options, databaseUrl: first.databaseUrl },
    [LiveConnectionsModule],
    given,
  );
  const instances = [first, second] as const;
  address.instances.push(first.url, second.url);
  const stored = await StoredRecords.open(first.databaseUrl);
  const startPlatforms = async () => {
    const clock = new SimulatedClock();
    const switches = { webhookDelayMs: 0, spikeLimit: 0, hourlyLimit: 0 };
    const a = await startPlatformA({ clock, switches });
    const b = await startPlatformB({ clock, ...(companyName !== undefined && { companyName }) });
    return { clock, a, b };
  };
  let simulated = await startPlatforms();
  limitInMemory(...instances.map(({ app }) => app.get(RateLimiter, { strict: false })));
  for (const { app } of instances) {
    jest.spyOn(app.get(Clock, { strict: false }), 'now').mockImplementation(() => simulated.clock.date());
    await endBackgroundTasks(app);
  }
  const credentials: Readonly<Record<string, () => JsonObject>> = {
    platform_a: () => {
      const { credentials: own, loginUrl, apiUrl } = simulated.a;
      return { ...own, login_url: loginUrl, api_url: apiUrl };
    },
    platform_b: () => {
      const { credentials: own, tokenUrl, apiUrl } = simulated.b;
      return {
        ...own,
        ...(companyName !== undefined && { company_id: companyName }),
        token_url: tokenUrl,
        api_url: apiUrl,
      };
    },
  };
  const credentialsOf = (platform: PlatformName): JsonObject => credentials[platform]?.() ?? {};
  const everyInstance = async <T>(work: (instance: RunningApp) => Promise<T>): Promise<void> => {
    await Promise.all(instances.map(work));
  };
  const runsOf = async (customerId: string): Promise<number> =>
    (await stored.query('select from sync_runs where customer_id = $1', [customerId])).length;

  const setCredentials = async (customerId: string, platform: PlatformName): Promise<void> => {
    const live = first.app.get(LiveConnectionsService, { strict: false });
    await live.set(customerId, platform, stringifyJson(credentialsOf(platform)));
  };

  const connected = async (
    { key: apiKey, customerId }: Caller,
    platforms: readonly PlatformName[],
  ): Promise<LiveCustomer> => {
    const client = api(first.url, apiKey);
    for (const platform of platforms) {
      await setCredentials(customerId, platform);
      await connect(client, platform);
    }
    return { customerId, client };
  };

  return {
    address,
    instances,
    stored,
    environment: { CREDENTIALS_KEYS: keysSetting(key) },
    get a() {
      return simulated.a;
    },
    get b() {
      return simulated.b;
    },
    openReading: async (...platforms) => connected(await first.issueKey('live'), platforms),
    open: async (...platforms) => {
      const caller = await first.issueKey('live');
      // Runs receive the records of the platforms directly; other tests cover how they are read.
      given.give(caller.customerId, 'platform_a', async function* () {
        await Promise.resolve();
        for (const payload of simulated.a.control.records('projects')) yield record('project', payload);
      });
      given.give(caller.customerId, 'platform_b', async function* () {
        await Promise.resolve();
        for (const payload of simulated.b.control.records('customers')) yield record('customer', payload);
      });
      return connected(caller, platforms);
    },
    credentials: credentialsOf,
    setCredentials: ({ customerId }, platform) => setCredentials(customerId, platform),
    keep: () => everyInstance(({ app }) => app.get(SubscriptionWorker, { strict: false }).poll(never)),
    makeDue: async () => {
      await stored.query(`update webhook_schedules set due_at = now() - interval '1 second'`);
    },
    pass: async (milliseconds) => {
      simulated.clock.advance(milliseconds);
      await stored.query(`update platform_tokens set expires_at = now() - interval '1 second'`);
    },
    isRequested: async ({ customerId }, platform) => {
      const [row] = await stored.query<{ requested: boolean }>(
        `select requested_at is not null as requested from sync_schedules where customer_id = $1 and platform = $2`,
        [customerId, platform],
      );
      return row?.requested === true;
    },
    read: async ({ customerId }) => {
      const before = await runsOf(customerId);
      // An instance performs one run of a customer at a time.
      for (let round = 0; round < 3; round += 1) {
        for (const { app } of instances) {
          await app.get(SyncSchedule, { strict: false }).poll(never);
          await app.get(SyncSchedule, { strict: false }).idle();
        }
      }
      return (await runsOf(customerId)) - before;
    },
    until: async (isSo) => {
      for (let attemptsLeft = 1_000; attemptsLeft > 0; attemptsLeft -= 1) {
        if (await isSo()) return;
        await sleep(20);
      }
      throw new Error('It did not come to it');
    },
    renew: async () => {
      await stored.query('delete from webhook_subscriptions');
      await stored.query('delete from webhook_schedules');
      await stored.query('delete from customers');
      const { a, b } = simulated;
      simulated = await startPlatforms();
      await a.close();
      await b.close();
      address.refuseWith = undefined;
    },
    close: async () => {
      await simulated.a.close();
      await simulated.b.close();
      await stored.close();
      await second.close();
      await first.close();
      await address.close();
    },
  };
}
