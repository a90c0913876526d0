import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownMember, type JsonObject, type StoredEntityType } from '@app/mapper';
import {
  startPlatformB,
  type LoggedRequest,
  type PlatformBOptions,
  type RunningPlatformB,
} from '@app/simulators';
import {
  RetryLater,
  type Attempt,
  type Connection,
  type RecordPage,
  type ReadScope,
  type Settlement,
  type WriteCommand,
  type WriteOutcome,
} from '../../../src/platforms/connector';
import { RateLimiter } from '../../../src/platforms/live/pacing/rate-limiter';
import { platformBLimits } from '../../../src/platforms/platform_b/limits';
import { PlatformBConnector } from '../../../src/platforms/platform_b/platform-b.connector';
import { keptLog } from '../../../src/platforms/live/testing/log-lines';
import { realTime, type Time } from '../../../src/platforms/live/time';
import { TokenSource } from '../../../src/platforms/live/tokens/token-source';
import { TokenTimes } from '../../../src/platforms/live/tokens/token-times';
import { PlatformClients } from '../../../src/platforms/live/transport/platform-clients';
import { credentialsOn } from '../../e2e/credentials/credentials-on';
import { MasterKeys } from '../../../src/platforms/credentials/master-keys';
import { Secrets } from '../../../src/platforms/credentials/secrets';
import { TokenStore } from '../../../src/platforms/credentials/token-store';
import { addProgress, noProgress } from '../../../src/outbox/command/partial/partial-progress';
import { Metrics } from '../../../src/runtime/metrics/metrics';
import { NoSpans } from '../../../src/runtime/tracing/spans';
import { masterKey } from '../../e2e/credentials/master-keys';
import { openUnitOfWork, type OpenUnitOfWork } from '../../e2e/database/open-unit-of-work';
import { migratedDatabase, type TestDatabase } from '../database/database';
import { limitInMemory } from './limits-in-memory';
import { never } from '../this-process/never';

/** Settings of a connection other than the address of the platform. */
export interface PlatformBChoices {
  /** Whether payments come from the custom page, which has their currency. */
  readonly customPayments?: boolean;
  readonly journal?: string | null;
  readonly currency?: string;
  readonly secret?: string;
  readonly companyId?: string;
}

/** The simulated ERP and the live connector, for one customer. */
export interface LivePlatformB {
  readonly platform: RunningPlatformB;
  readonly connector: PlatformBConnector;
  readonly connection: Connection;
  /** Changes the settings of the connection. */
  choose(choices: PlatformBChoices): Promise<void>;
  read(scope: StoredEntityType | ReadScope, from?: RecordPage['next']): Promise<RecordPage[]>;
  get(entityType: StoredEntityType, platformId: string): Promise<JsonObject | undefined>;
  update(
    entityType: StoredEntityType,
    platformId: string,
    fields: Readonly<Record<string, WriteCommand['changes'][number]['value']>>,
  ): WriteCommand;
  create(
    entityType: StoredEntityType,
    fields: Readonly<Record<string, WriteCommand['changes'][number]['value']>>,
  ): WriteCommand;
  /**
   * Sends a command as the outbox does: prepares it, sends it, checks the platform if the outcome is unknown, and
   * sends it again if it certainly had no effect.
   *
   * @param base the record that the change was made for
   */
  send(command: WriteCommand, base?: JsonObject): Promise<Ended>;
  /**
   * Requests since the last call of this method, without those for tokens, as `METHOD path?query` below the company.
   */
  calls(): readonly string[];
  requests(): readonly LoggedRequest[];
  close(): Promise<void>;
}

/** The final outcome of a command. */
export type Ended = Exclude<
  WriteOutcome | Settlement,
  { readonly status: 'deferred' | 'uncertain' | 'not_applied' }
>;

// A time without pauses between attempts, so tests do not wait for them.
const noPauses: Time = {
  ...realTime,
  sleep: async (ms, signal) => {
    signal.throwIfAborted();
    await sleep(Math.min(ms, 3));
  },
};

/** A database with its connections, shared by the customers of several tests. */
export interface Workplace extends OpenUnitOfWork {
  readonly database: TestDatabase;
}

export async function openWorkplace(): Promise<Workplace> {
  const database = await migratedDatabase();
  const opened = await openUnitOfWork(database.url);
  return {
    ...opened,
    database,
    close: async () => {
      await opened.close();
      await database.drop();
    },
  };
}

/**
 * Starts the simulated platform and the connector. The connector keeps to the platform's limits, except for the
 * bucket, for which tests would have to wait.
 *
 * @param given a shared database. Without it each start creates one, which takes most of its time.
 */
export async function startLivePlatformB(
  options: PlatformBOptions = {},
  choices: PlatformBChoices = {},
  given?: Workplace,
): Promise<LivePlatformB> {
  const platform = await startPlatformB(options);
  const workplace = given ?? (await openWorkplace());
  const connection = { customerId: randomUUID(), platform: 'platform_b', mode: 'live' } as const;
  await workplace.dataSource.query(`insert into customers (id, name, kind) values ($1, 'Acme', 'standard')`, [
    connection.customerId,
  ]);
  const made = connectorOn(workplace);
  const choose = async (chosen: PlatformBChoices): Promise<void> => {
    const { settings, secret } = settingsOf(platform, chosen);
    await made.credentials.set(
      connection.customerId,
      'platform_b',
      settings,
      new Secrets({ client_secret: secret }),
    );
  };
  await choose(choices);
  let seen = 0;
  const { connector } = made;
  const requests = (): readonly LoggedRequest[] => {
    const all = platform.control.log.list();
    const fresh = all.slice(seen).filter(({ path }) => !path.endsWith('/token'));
    seen = all.length;
    return fresh;
  };
  const command = (
    entityType: StoredEntityType,
    platformId: string | null,
    fields: Readonly<Record<string, WriteCommand['changes'][number]['value']>>,
  ): WriteCommand => ({
    id: randomUUID(),
    customerId: connection.customerId,
    platform: 'platform_b',
    entityType,
    variant: null,
    platformId,
    ifMatch: null,
    changes: Object.entries(fields).map(([name, value]) => ({ path: [name], value })),
    referred: {},
  });
  return {
    platform,
    connector,
    connection,
    choose,
    read: async (scope, from = null) => {
      const pages: RecordPage[] = [];
      const wanted = typeof scope === 'string' ? { entityType: scope } : scope;
      for await (const page of connector.read(connection, wanted, from, never)) pages.push(page);
      return pages;
    },
    get: async (entityType, platformId) =>
      (await connector.get(connection, { entityType, variant: null, platformId }, never))?.payload,
    send: (write, base) => sendAsOutbox(connector, connection, write, base),
    update: command,
    create: (entityType, fields) => command(entityType, null, fields),
    requests,
    calls: () =>
      requests().map(({ method, path }) => `${method} ${path.replace(/^.*?\/companies\([^)]*\)\//, '')}`),
    close: async () => {
      await made.close();
      if (given === undefined) await workplace.close();
      await platform.close();
    },
  };
}

async function sendAsOutbox(
  connector: PlatformBConnector,
  connection: Connection,
  command: WriteCommand,
  before: JsonObject | undefined,
): Promise<Ended> {
  for (let attempts = 0; attempts < 12; attempts += 1) {
    const startedAt = new Date();
    try {
      const notes = await connector.prepare(connection, command, never);
      const attempt = { startedAt, now: startedAt, before, notes };
      const outcome = await connector.submit(connection, command, never, attempt);
      if (outcome.status === 'deferred') continue;
      if (outcome.status !== 'uncertain') return outcome;
      const made = addProgress(noProgress, outcome.made);
      const settled = await settledAsOutbox(connector, connection, command, {
        ...attempt,
        endedAt: new Date(),
        made,
      });
      if (settled !== undefined) return settled;
    } catch (error) {
      if (!(error instanceof RetryLater)) throw error;
    }
  }
  throw new Error('It never came to an end');
}

async function settledAsOutbox(
  connector: PlatformBConnector,
  connection: Connection,
  command: WriteCommand,
  attempt: Attempt,
): Promise<Ended | undefined> {
  let { endedAt = attempt.startedAt } = attempt;
  for (let looks = 1; looks < 12; looks += 1) {
    const now = new Date();
    const settlement = await connector.settle(connection, command, { ...attempt, endedAt, now }, never);
    if (settlement.status === 'not_applied') return undefined;
    if (settlement.status !== 'uncertain') return settlement;
    if (settlement.sent) endedAt = new Date();
    await sleep(Math.max(0, (settlement.until?.getTime() ?? 0) - Date.now()));
  }
  throw new Error('It was never settled');
}

function connectorOn({ unitOfWork, dataSource }: OpenUnitOfWork) {
  const keys = new MasterKeys([masterKey('k')]);
  const credentials = credentialsOn({ unitOfWork, dataSource }, keys);
  const metrics = new Metrics();
  const rules = {
    platform_b: {
      ...platformBLimits,
      bucket: { perSecond: 100_000, burst: 100_000 },
      coolOff: { ...platformBLimits.coolOff, firstMs: 1, mostMs: 5, marginMs: 1 },
    },
  };
  const limiter = new RateLimiter(unitOfWork, metrics, rules, noPauses);
  limitInMemory(limiter);
  const clients = new PlatformClients(limiter, metrics, new NoSpans(), keptLog().logger, noPauses);
  const times = Object.assign(new TokenTimes(), { poll: 10, cache: 0 });
  const tokens = new TokenSource(new TokenStore(unitOfWork, keys), credentials, times);
  const connector = new PlatformBConnector(clients, tokens, credentials, { now: () => new Date() }, realTime);
  connector.creationLags = [1, 1, 1];
  connector.lags = [1, 1, 1];
  connector.pauses = [1, 2, 4];
  return {
    credentials,
    connector,
    close: async () => {
      tokens.beforeApplicationShutdown();
      await limiter.onApplicationShutdown();
      await clients.onApplicationShutdown();
    },
  };
}

/** The settings that an operator stores for a connection to the simulated platform. */
export function settingsOf(platform: RunningPlatformB, choices: PlatformBChoices = {}) {
  const { client_id, client_secret, company_id, journal } = platform.credentials;
  const { customPayments = true, currency, secret = client_secret, companyId = company_id } = choices;
  const chosenJournal = choices.journal === undefined ? journal : choices.journal;
  return {
    secret,
    settings: {
      token_url: platform.tokenUrl,
      api_url: platform.apiUrl,
      company_id: companyId,
      client_id,
      ...(currency !== undefined && { currency }),
      ...(chosenJournal !== null && { journal: chosenJournal }),
      ...(customPayments && { payments_url: platform.paymentsUrl }),
    },
  };
}

/** A member as text. Fails if it is missing. */
export function textOf(record: JsonObject | undefined, name: string): string {
  const value = record && ownMember(record, name);
  if (typeof value !== 'string') throw new Error(`There is no text ${name}`);
  return value;
}
