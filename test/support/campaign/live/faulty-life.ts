import { Pool } from 'pg';
import { stringifyJson, type NativeChange, type StoredEntityType } from '@app/mapper';
import { Dispatcher } from '../../../../src/outbox/dispatch/dispatcher';
import { keysSetting, masterKey } from '../../../e2e/credentials/master-keys';
import { api } from '../../app/api';
import { startApp } from '../../app/app';
import { migratedDatabase, type TestDatabase } from '../../database/database';
import { shortenWaits } from '../../app/short-waits';
import { platforms, type Platform } from '../../customers/portfolio';
import { CampaignCustomer, nativeRecords, type CampaignEnvironment } from './campaign-customer';
import { Instances, type Replacement } from './instances';
import type { Sequence } from './sequence';

/** Connections by which the tests read the database of the service. */
const LOOKING = 4;

interface CommandRow {
  readonly id: string;
  readonly platform: Platform;
  readonly entity_type: StoredEntityType;
  readonly platform_id: string | null;
  readonly status: string;
  readonly reason: string | null;
  readonly change: string;
  readonly changes: readonly NativeChange[];
}

/** Instances on which sequences of changes, faults and edits of other users run, and their results. */
export class FaultyLife {
  /** The number of changes by the status of the answer; 0 stands for no answer. */
  readonly answers = new Map<number, number>();
  /** The number of commands by outcome. */
  readonly outcomes = new Map<string, number>();
  private numbers = 0;

  private constructor(
    private readonly environment: CampaignEnvironment & { readonly instances: Instances },
    private readonly testDatabase: TestDatabase,
  ) {}

  /**
   * @param count the number of instances that send changes and may be killed
   * @param env further environment of their processes
   * @param replacement when another instance starts for a killed one
   */
  static async start(
    count: number,
    env: Readonly<Record<string, string>> = {},
    replacement?: Replacement,
  ): Promise<FaultyLife> {
    const key = masterKey('campaign');
    const testDatabase = await migratedDatabase();
    const database = new Pool({ connectionString: testDatabase.url, max: LOOKING });
    const office = await startApp({
      databaseUrl: testDatabase.url,
      credentialsKeys: [key],
      syncIntervalMs: 0,
      logLevel: 'error',
    });
    shortenWaits(office.app);
    // Only instances that may be killed send changes.
    await office.app.get(Dispatcher, { strict: false }).beforeApplicationShutdown();
    const settings = {
      CREDENTIALS_KEYS: keysSetting(key),
      SYNC_INTERVAL: '0',
      PROPAGATE_WAIT: '0',
      ...env,
    };
    const instances = await Instances.start(count, testDatabase.url, database, settings, replacement);
    return new FaultyLife({ office, database, instances }, testDatabase);
  }

  get instances(): Instances {
    return this.environment.instances;
  }

  async close(): Promise<void> {
    await this.environment.instances.close();
    await this.environment.office.close();
    await this.environment.database.end();
    await this.testDatabase.drop();
  }

  /**
   * Runs a sequence for a new customer, and compares the results with the platforms.
   *
   * @param place the position of the sequence among all, which selects the settings of the platforms
   */
  async run(sequence: Sequence, place: number): Promise<void> {
    const customPayments = place % 2 === 0;
    const customer = await CampaignCustomer.open(this.environment, { seed: place + 1, customPayments });
    try {
      for (const platform of platforms) await customer.connect(platform);
      customer.expectTroubles(sequence);
      for (const action of sequence.actions) await customer.act(action, (this.numbers += 1));
      await customer.calm();
      await customer.settled();
      await customer.readAll(customer.caller);
      // The service accepts a missing record as deleted at the second run.
      if (customer.console.hasRemoved) await customer.readAll(customer.caller);
      for (const status of customer.answers) this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
      await this.expectTruth(customer);
      this.expectNothingOverwritten(customer);
      await this.expectTheSame(customer, customPayments);
      expect([...customer.a.control.defects, ...customer.b.control.defects]).toEqual([]);
    } finally {
      await customer.close();
    }
  }

  /** Expects that each command took effect at most once, and that its reported outcome is true. */
  private async expectTruth(customer: CampaignCustomer): Promise<void> {
    for (const platform of platforms) {
      expect({ platform, repeated: customer.witnesses[platform].repeated() }).toEqual({
        platform,
        repeated: [],
      });
    }
    const { rows } = await this.environment.database.query<CommandRow>(
      `select id, platform, entity_type, platform_id, status, reason, propagation_id as change, changes
       from outbox_commands where customer_id = $1 order by seq`,
      [customer.customerId],
    );
    for (const row of rows) {
      this.outcomes.set(row.status, (this.outcomes.get(row.status) ?? 0) + 1);
      const answer = await api(this.environment.office.url, customer.caller.key).get(
        `/propagations/${row.change}`,
      );
      const said = answer.body.data.propagated[row.platform];
      const effects = customer.witnesses[row.platform].effectsOf({
        platform: row.platform,
        entityType: row.entity_type,
        platformId: row.platform_id,
        changes: row.changes,
      });
      expect({ ...row, said: said.status, effects }).toEqual({
        ...row,
        said: row.status,
        effects: this.possible(row.status, effects),
      });
      expect({ ...row, reason: said.reason ?? null }).toEqual(row);
      this.expectPart(customer, row);
    }
    const created = customer.witnesses.platform_b.created('salesOrders');
    for (const id of created) {
      const lines = customer.b.control.records('salesOrderLines').filter((line) => line['documentId'] === id);
      expect(lines.length).toBeLessThanOrEqual(1);
    }
    for (const kind of ['work_order_contracts', 'purchase_order_contracts'] as const) {
      const ids = customer.witnesses.platform_a.created(kind);
      this.outcomes.set(kind, (this.outcomes.get(kind) ?? 0) + ids.length);
      const made = customer.a.control
        .records(kind)
        .filter((row) => ids.includes(stringifyJson(row['id'] ?? null)));
      for (const { line_items: lines } of made) {
        expect(Array.isArray(lines) ? lines.length : 0).toBeLessThanOrEqual(1);
      }
    }
  }

  /** Expects of a partly written change that its reason names exactly the fields that were not written. */
  private expectPart(customer: CampaignCustomer, row: CommandRow): void {
    if (row.status !== 'applied') return;
    const named = /not written: (.*?) \(/.exec(row.reason ?? '')?.[1]?.split(', ') ?? [];
    if (named.length > 0) this.outcomes.set('in part', (this.outcomes.get('in part') ?? 0) + 1);
    if (row.platform_id === null) return;
    for (const change of row.changes) {
      const field = change.path.join('.');
      const effects = customer.witnesses[row.platform].effectsOf({
        platform: row.platform,
        entityType: row.entity_type,
        platformId: row.platform_id,
        changes: [change],
      });
      expect({ ...row, field, effects }).toEqual({ ...row, field, effects: named.includes(field) ? 0 : 1 });
    }
  }

  /**
   * The number of effects that a command with this reported outcome may have had; the actual number if that is
   * possible.
   */
  private possible(said: string, effects: number): number {
    if (said === 'applied') return 1;
    if (said === 'held') return Math.min(effects, 1);
    return 0;
  }

  /** Expects that a value of another user was overwritten only by a writer who knew of it. */
  private expectNothingOverwritten(customer: CampaignCustomer): void {
    for (const platform of platforms) {
      for (const { theirs, ours, table, at } of customer.witnesses[platform].overwritten) {
        const [change, value] = [numberIn(ours), numberIn(theirs)];
        if (customer.known.get(change)?.has(value) === true) continue;
        const written = customer.console.written.get(value) ?? 0;
        const wasLookedAt = platform === 'platform_b' || this.looksBetween(customer, table, written, at);
        expect({ platform, theirs, ours, wasLookedAt }).toEqual({
          platform,
          theirs,
          ours,
          wasLookedAt: false,
        });
      }
    }
  }

  /**
   * Whether a writer had read a record after a user wrote it. platform_a has no versions, so a write between the read
   * and the write of the service cannot be detected.
   */
  private looksBetween(customer: CampaignCustomer, table: string, written: number, at: number): boolean {
    if (customer.readings.some(([from, to]) => from < at && to > written)) return false;
    const own = table === 'vendors' ? /vendors.*501004/ : /contract_id=1945782/;
    return customer.a.control.log
      .list()
      .slice(written, at)
      .some(({ method, path, handled }) => method === 'GET' && handled && own.test(path));
  }

  /**
   * Expects that our records equal those of a customer who reads the platforms anew, and that no change is pending.
   */
  private async expectTheSame(customer: CampaignCustomer, customPayments: boolean): Promise<void> {
    const reader = await this.environment.office.issueKey('live');
    await customer.goLive(reader, customPayments);
    await customer.readAll(reader);
    const { url } = this.environment.office;
    expect(await nativeRecords(url, customer.caller)).toEqual(await nativeRecords(url, reader));
    const { rows } = await this.environment.database.query<{ count: number }>(
      `select (select count(*) from platform_records where customer_id = $1 and accepted is not null)::int
         + (select count(*) from propagations where customer_id = $1 and decided_at is null)::int as count`,
      [customer.customerId],
    );
    expect(rows).toEqual([{ count: 0 }]);
  }
}

function numberIn(text: string): number {
  return Number(/(?:ours|theirs)[- ]?(\d+)/i.exec(text)?.[1] ?? NaN);
}
