import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { migrate } from '../../../../src/database/schema/migrate';
import { fc } from '../../../../libs/mapper/src/testing/property';
import type { JsonObject } from '@app/mapper';
import { runCommand } from '../../../e2e/cli/run-command';
import { keysSetting, masterKey } from '../../../e2e/credentials/master-keys';
import { OwnServer } from '../../../e2e/database/own-server';
import { api } from '../../app/api';
import { startApp, type RunningApp } from '../../app/app';
import { copyOfRunning } from '../../database/database-backups';
import { shortenWaits } from '../../app/short-waits';
import { platforms } from '../../customers/portfolio';
import {
  APIS,
  CampaignCustomer,
  nativeRecords,
  type Change,
  type CampaignEnvironment,
} from './campaign-customer';
import { changeable, creatable } from './records';
import type { Action } from './sequence';

/** The events around a backup of the database of a customer with live platforms. */
export interface Restoring {
  readonly before: readonly Change[];
  /**
   * The state of the commands in the backup: all decided, some in progress with late answers, or all waiting for busy
   * platforms.
   */
  readonly commands: 'decided' | 'under way' | 'waiting';
  /** Actions after the backup: the platforms keep their effects, and the backup does not contain them. */
  readonly after: readonly Action[];
  /** Whether clients repeat the requests that were answered since the backup. */
  readonly sentAgain: boolean;
}

const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: fc.constant('change' as const),
    what: fc.constantFrom(...changeable),
    by: fc.constantFrom('canonical' as const, ...platforms),
    fields: fc.integer({ min: 1, max: 7 }),
  }),
  fc.record({ kind: fc.constant('create' as const), what: fc.constantFrom(...creatable) }),
);
const edits: fc.Arbitrary<Action> = fc.record({
  kind: fc.constant('edit' as const),
  platform: fc.constantFrom(...platforms),
  what: fc.constantFrom('payment' as const, 'customer' as const),
});

const states = ['decided', 'under way', 'waiting'] as const;
const payment: Change = { kind: 'change', what: 'payment', by: 'canonical', fields: 1 };

/** Each creation in each state at the time of the backup, or after the backup and then repeated. */
const eachCreation: readonly Restoring[] = creatable.flatMap((what) => [
  ...states.map((commands): Restoring => ({
    before: [{ kind: 'create', what }],
    commands,
    after: [payment],
    sentAgain: false,
  })),
  {
    before: [payment],
    commands: 'decided',
    after: [
      { kind: 'create', what },
      { kind: 'create', what },
    ],
    sentAgain: true,
  },
]);

/**
 * Clients that repeat requests do not know of later edits by other users and would overwrite them, so those cases have
 * no such edits.
 */
const random: fc.Arbitrary<Restoring> = fc.boolean().chain((sentAgain) =>
  fc.record({
    before: fc.array(changes, { minLength: 1, maxLength: 4 }),
    commands: fc.constantFrom(...states),
    after: fc.array(sentAgain ? changes : fc.oneof({ weight: 3, arbitrary: changes }, edits), {
      minLength: 1,
      maxLength: 6,
    }),
    sentAgain: fc.constant(sentAgain),
  }),
);

/** Half of the cases are random, half are the cases that must not be missed. */
export const restorings: fc.Arbitrary<Restoring> = fc.oneof(random, fc.constantFrom(...eachCreation));

/** Delay of writes in milliseconds: longer than the backup takes. */
const LATE_MS = 5_000;

/** A request that a client keeps until it no longer needs it. */
interface Sent {
  readonly number: number;
  readonly body: JsonObject;
  readonly status: number;
}

/** The client and operator of a customer, for the original or the restored service. */
interface Restorable {
  office: RunningApp;
  database: Pool;
}

/** Services on one server and on copies of it, and platforms that outlast both. */
export class RestoredLife {
  /** Counts of the events of all cases. */
  readonly figures = new Map<string, number>();
  private readonly key = masterKey('restored');
  private numbers = 0;

  private constructor(private readonly server: OwnServer) {}

  static async start(): Promise<RestoredLife> {
    const server = await OwnServer.start();
    await migrate(server.url);
    return new RestoredLife(server);
  }

  close(): Promise<void> {
    return this.server.remove();
  }

  /**
   * Makes a backup while a customer works, continues the work, restores the backup as the documentation says, and
   * compares the service with the platforms.
   */
  async run({ before, commands, after, sentAgain }: Restoring, seed: number): Promise<void> {
    const now: Restorable = { office: await this.startOn(this.server), database: poolOf(this.server) };
    const end = async (): Promise<void> => {
      await now.office.close();
      await now.database.end();
    };
    let restored: OwnServer | undefined;
    let customer: CampaignCustomer | undefined;
    try {
      customer = await CampaignCustomer.open(environmentOf(now), { seed, customPayments: seed % 2 === 0 });
      for (const platform of platforms) await customer.connect(platform);
      if (commands !== 'decided') hinder(customer, commands);
      for (const action of before) await this.send(now, customer, action);
      if (commands === 'decided') await customer.settled();
      restored = await copyOfRunning(this.server);
      for (const { control } of [customer.a, customer.b]) control.faults.clear();
      const since: Sent[] = [];
      for (const action of after) {
        if (isChange(action)) since.push(await this.send(now, customer, action));
        else await customer.act(action, 0);
      }
      await customer.settled();
      await end();

      await this.readWhole(restored, customer);
      now.database = poolOf(restored);
      await this.countOpen(now);
      now.office = await this.startOn(restored);
      await this.expectFound(now, customer, sentAgain ? since : [], seed);
    } finally {
      await end().catch(() => undefined);
      await customer?.close();
      await restored?.remove();
    }
  }

  private async startOn({ url }: OwnServer): Promise<RunningApp> {
    const office = await startApp({
      databaseUrl: url,
      credentialsKeys: [this.key],
      syncIntervalMs: 0,
      propagateWaitMs: 0,
      logLevel: 'error',
    });
    shortenWaits(office.app);
    return office;
  }

  private async send(now: Restorable, customer: CampaignCustomer, action: Change): Promise<Sent> {
    const number = (this.numbers += 1);
    const body = await customer.requestOf(action, number);
    return { number, body, status: await this.ask(now, customer, number, body) };
  }

  private async ask(
    { office }: Restorable,
    { caller }: CampaignCustomer,
    number: number,
    body: JsonObject,
  ): Promise<number> {
    const headers = { 'Idempotency-Key': `change-${number}` };
    const client = api(office.url, caller.key);
    let { status } = await client.post('/propagate', body, headers);
    // Clients repeat a request after a 502.
    for (let attemptsLeft = 100; status === 502 && attemptsLeft > 0; attemptsLeft -= 1) {
      await sleep(200);
      ({ status } = await client.post('/propagate', body, headers));
    }
    // The service refuses the change if a record is being created.
    expect([200, 404, 409, 422]).toContain(status);
    this.count(`changes answered ${status}`);
    return status;
  }

  /** The steps of the operator before the restored service starts. */
  private async readWhole({ url }: OwnServer, { customerId }: CampaignCustomer): Promise<void> {
    const environment = {
      DATABASE_URL: url,
      CREDENTIALS_KEYS: keysSetting(this.key),
      LOG_LEVEL: 'silent',
    };
    for (const platform of platforms) {
      const args = [
        'connections',
        'sync',
        '--customer',
        customerId,
        '--platform',
        platform,
        '--full',
        '--json',
      ];
      const { code, out, err } = await runCommand(environment, args);
      expect({ code, err, ...(JSON.parse(out) as object) }).toMatchObject({
        code: 0,
        err: '',
        complete: true,
        gaps: [],
      });
    }
  }

  /** Counts the undecided commands of the backup. The campaign does not wait for the leases of the former service. */
  private async countOpen({ database }: Restorable): Promise<void> {
    const past = `now() - interval '1 second'`;
    const { rows } = await database.query<{ status: string }>(
      `update outbox_commands set lease_until = least(lease_until, ${past}), not_before = ${past}
       where decided_at is null returning status`,
    );
    for (const { status } of rows) this.count(`commands restored as ${status}`);
  }

  /**
   * Expects that the service has the records of the platforms, that nothing was written twice, and that no value of
   * another user was overwritten.
   */
  private async expectFound(
    now: Restorable,
    customer: CampaignCustomer,
    again: readonly Sent[],
    seed: number,
  ): Promise<void> {
    const { witnesses } = customer;
    const seen = () => platforms.map((platform) => witnesses[platform].contents());
    const sent = () => platforms.map((platform) => witnesses[platform].sent);
    const [contents, writes] = [seen(), sent()];
    for (const { number, body, status } of again) {
      const answered = await this.ask(now, customer, number, body);
      expect({ body, answered }).toEqual({ body, answered: status });
      await customer.settled();
      this.count('changes sent again');
    }
    await customer.settled();
    expect(seen()).toEqual(contents);
    if (again.length === 0) expect(sent()).toEqual(writes);
    const reader = await now.office.issueKey('live');
    await customer.goLive(reader, seed % 2 === 0);
    await customer.readAll(reader);
    expect(await nativeRecords(now.office.url, customer.caller)).toEqual(
      await nativeRecords(now.office.url, reader),
    );
    const { rows } = await now.database.query<{ status: string; count: number }>(
      `select status, count(*)::int as count from outbox_commands where customer_id = $1 group by 1`,
      [customer.customerId],
    );
    for (const { status, count } of rows) this.count(`commands ${status}`, count);
    expect([...customer.a.control.defects, ...customer.b.control.defects]).toEqual([]);
  }

  private count(figure: string, by = 1): void {
    this.figures.set(figure, (this.figures.get(figure) ?? 0) + by);
  }
}

/** Delays every write, or answers every write with 429. */
function hinder(customer: CampaignCustomer, commands: 'under way' | 'waiting'): void {
  for (const platform of platforms) {
    const { faults } = (platform === 'platform_a' ? customer.a : customer.b).control;
    for (const method of ['POST', 'PATCH']) {
      const match = { method, path: APIS[platform] };
      faults.add(
        commands === 'waiting'
          ? { kind: 'status', status: 429, headers: { 'retry-after': '0' }, match, times: 0 }
          : { kind: 'delay', ms: LATE_MS, match, times: 0 },
      );
    }
  }
}

function isChange(action: Action): action is Change {
  return action.kind === 'change' || action.kind === 'create';
}

function poolOf({ url }: OwnServer): Pool {
  return new Pool({ connectionString: url, max: 4 });
}

/** The environment of a customer: that of the restored service once it exists. */
function environmentOf(now: Restorable): CampaignEnvironment {
  return {
    get office() {
      return now.office;
    },
    get database() {
      return now.database;
    },
    instances: { url: () => now.office.url, killSenderOf: () => Promise.resolve() },
  };
}
