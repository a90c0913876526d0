// Databases with records are brought to the schemas of earlier migrations and up again, with connections cut meanwhile: each resumes, and shows the same records.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { WebhookEndpoints1796000083000 } from '../../migrations/1796000083000-webhook-endpoints';
import { ApiKeysService } from '../../src/auth/api-keys.service';
import { dataSourceOptions } from '../../src/database/connection/data-source';
import { listMigrations, migrate, MIGRATIONS } from '../../src/database/schema/migrate';
import { HostResolver } from '../../src/webhook-endpoints/address/endpoint-addresses';
import { masterKey } from '../e2e/credentials/master-keys';
import { fc } from '../../libs/mapper/src/testing/property';
import { api } from '../support/app/api';
import { startApp, type RunningApp } from '../support/app/app';
import { campaign } from '../support/campaign/campaign';
import { copyCustomer } from '../support/campaign/copied-customers';
import {
  copyOfDatabase,
  createDatabase,
  migratedDatabase,
  type TestDatabase,
} from '../support/database/database';
import { markedCustomer, rowsAtRest, type MarkedCustomer } from '../support/customers/marked-customer';
import { platforms, storedTypes, type Listed } from '../support/customers/portfolio';
import { StoredRecords } from '../support/database/stored-records';
import { readWhole, type WholeReading } from '../support/customers/whole-reading';

/**
 * The migration at which an upgrade begins, and the times at which its connections are cut, in milliseconds after each
 * attempt has begun.
 */
const upgrades = fc.record({
  applied: fc.integer({ min: 1, max: MIGRATIONS.length - 1 }),
  cuts: fc.array(fc.integer({ min: 0, max: 1_200 }), { minLength: 1, maxLength: 4 }),
});

/** The least number of records of the large database, on both platforms of its customers. */
const RECORDS = 100_000;

/** The number of migrations after which all tables exist that reads use. */
const ALL_TABLES = MIGRATIONS.indexOf(WebhookEndpoints1796000083000) + 1;

/**
 * The migration at which the upgrade of a large database begins, and the times of its cuts as shares of the duration
 * of the whole upgrade.
 */
const largeUpgrades = fc.record({
  applied: fc.oneof(
    fc.integer({ min: 1, max: MIGRATIONS.length - 1 }),
    fc.integer({ min: ALL_TABLES, max: MIGRATIONS.length - 1 }),
  ),
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 3 }),
});

/** A listed record without the time of its read. */
interface ListedRecord extends Omit<Listed, 'mappings' | 'version'> {
  readonly platform: string;
  readonly type: string;
}

campaign('upgrade', (campaign) => {
  const settings = { credentialsKeys: [masterKey('upgrade')], logLevel: 'silent' } as const;
  let original: TestDatabase;
  let customer: MarkedCustomer;
  let records: readonly ListedRecord[];
  let schema: unknown;
  beforeAll(async () => {
    const fresh = await createDatabase();
    await migrate(fresh.url);
    schema = await schemaOf(fresh);
    await fresh.drop();
    original = await migratedDatabase();
    const app = await startOn(original);
    customer = await markedCustomer(app, 'upgraded');
    const stored = await StoredRecords.open(original.url);
    await rowsAtRest(stored, customer);
    await stored.close();
    records = await recordsOf(app);
    await app.close();
  });
  afterAll(() => original.drop());

  async function startOn({ url }: TestDatabase): Promise<RunningApp> {
    const app = await startApp({ ...settings, databaseUrl: url });
    const resolver = app.app.get(HostResolver, { strict: false });
    jest.spyOn(resolver, 'resolve').mockResolvedValue([{ address: '93.184.215.14', family: 4 }]);
    return app;
  }

  /** Every listed record with its object. */
  async function recordsOf({ url }: RunningApp, key = customer.key): Promise<readonly ListedRecord[]> {
    const client = api(url, key);
    const listed: ListedRecord[] = [];
    for (const platform of platforms) {
      for (const type of storedTypes) {
        const { status, body } = await client.get(`/objects?platform=${platform}&entity_type=${type}`);
        expect({ platform, type, status }).toEqual({ platform, type, status: 200 });
        for (const { id, canonical_id, data, platform_data } of body.data as readonly Listed[])
          listed.push({ platform, type, id, canonical_id, data: { ...data, updated_at: '' }, platform_data });
      }
    }
    return listed;
  }

  /**
   * Expects that platforms can be read again, that a change reaches both, and that the statement contains them. Data
   * of an undone migration is gone.
   */
  async function expectGoesOn({ url }: RunningApp): Promise<void> {
    const client = api(url, customer.key);
    for (const platform of platforms) {
      const { body } = await client.post('/connect', { platform });
      const expected = records.filter((record) => record.platform === platform).length;
      const read = Object.values<number>(body.data.entities).reduce((sum, count) => sum + count, 0);
      expect({ platform, read }).toEqual({ platform, read: expected });
    }
    const { body } = await client.post('/propagate', {
      ...{ format: 'platform', platform: 'platform_a', entity_type: 'payment', platform_id: '1823456' },
      data: { notes: 'after the upgrade' },
    });
    expect(body.data.propagated).toMatchObject({
      platform_a: { status: 'applied' },
      platform_b: { status: 'applied' },
    });
    expect((await client.get('/reconciliation?currency=USD')).status).toBe(200);
  }

  async function looking<Row extends object>({ url }: TestDatabase, sql: string): Promise<Row[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Columns, constraints and indexes as the database reports them. */
  function schemaOf(database: TestDatabase): Promise<unknown> {
    return looking(
      database,
      `select table_name || '.' || column_name as name, data_type || ' ' || is_nullable || ' ' ||
           coalesce(column_default, '') || ' ' || coalesce(collation_name, '') as says
         from information_schema.columns where table_schema = 'public'
       union all
       select conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid) from pg_constraint
         where connamespace = 'public'::regnamespace
       union all
       select indexname, indexdef from pg_indexes where schemaname = 'public'
       order by 1, 2`,
    );
  }

  /** Connections without the limits of requests' statements. */
  function dataSourceOn({ url }: TestDatabase): DataSource {
    const unlimited = { statement_timeout: 0, idle_in_transaction_session_timeout: 0 };
    return new DataSource(dataSourceOptions(url, { migrations: MIGRATIONS, extra: unlimited }));
  }

  async function undoTo(database: TestDatabase, applied: number): Promise<void> {
    const dataSource = dataSourceOn(database);
    await dataSource.initialize();
    try {
      for (let left = MIGRATIONS.length; left > applied; left -= 1) await dataSource.undoLastMigration();
    } finally {
      await dataSource.destroy();
    }
  }

  /** Cuts the connections of an attempt. Expects that it changed nothing, or everything. */
  async function cut(database: TestDatabase, afterMs: number): Promise<void> {
    const before = await listMigrations(database.url);
    const attempt = migrate(database.url).then(
      () => 'done',
      () => 'cut',
    );
    await sleep(afterMs);
    const isWhole = await looking(
      database,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    ).then(() => attempt);
    campaign.count(`attempts ${isWhole}`);
    const after = await listMigrations(database.url);
    const whole = before.map(({ name }) => ({ name, state: 'applied' }));
    // The commit may have completed before the cut.
    expect(after).toEqual(
      isWhole === 'done' || after.every(({ state }) => state === 'applied') ? whole : before,
    );
  }

  campaign.part('resume and show the same', async (time) => {
    for (const { applied, cuts } of time.cases(upgrades)) {
      const database = await copyOfDatabase(original);
      try {
        await undoTo(database, applied);
        for (const afterMs of cuts) await cut(database, afterMs);
        await migrate(database.url);
        expect(await schemaOf(database)).toEqual(schema);
        const app = await startOn(database);
        try {
          expect({ applied, records: await recordsOf(app) }).toEqual({ applied, records });
          await expectGoesOn(app);
        } finally {
          await app.close();
        }
      } finally {
        await database.drop();
      }
      campaign.count('upgrades');
      campaign.count('migrations', MIGRATIONS.length - applied);
    }
  });

  describe(`with ${RECORDS} records`, () => {
    let large: TestDatabase;
    /** Keys of the copied customer, and of its last copy. */
    let keys: readonly string[];
    let asOf: string;
    let before: readonly WholeReading[];
    let wholeMs: number;
    beforeAll(async () => {
      large = await copyOfDatabase(original);
      const copies = await copyCustomer(large.url, customer.customerId, Math.ceil(RECORDS / records.length));
      const app = await startOn(large);
      const { key } = await app.app
        .get(ApiKeysService, { strict: false })
        .issue(copies.at(-1) ?? '', 'live', {});
      keys = [customer.key, key];
      const { body } = await api(app.url, key).get('/reconciliation?currency=USD');
      asOf = body.data.as_of;
      before = await readEach(app);
      await app.close();
      wholeMs = await timeOfMigrations(large);
    });
    afterAll(() => large.drop());

    async function readEach({ url }: RunningApp): Promise<readonly WholeReading[]> {
      const readings: WholeReading[] = [];
      for (const key of keys) readings.push(await readWhole(url, key, asOf));
      return readings;
    }

    /**
     * Expects that every record is the same, and everything else that the API shows, byte for byte, unless its tables
     * were undone.
     */
    async function expectTheSame(app: RunningApp, applied: number): Promise<void> {
      for (const key of keys)
        expect({ applied, records: await recordsOf(app, key) }).toEqual({ applied, records });
      if (applied < ALL_TABLES) return;
      for (const [place, after] of (await readEach(app)).entries()) {
        const then = before[place] ?? new Map<string, string>();
        const differing = [...then].filter(([path, text]) => after.get(path) !== text);
        expect({ applied, paths: [...after.keys()], differing }).toEqual({
          applied,
          paths: [...then.keys()],
          differing: [],
        });
        campaign.count(`answers compared with ${RECORDS} records`, after.size);
      }
    }

    campaign.part('resume and show the same with many records', async (time) => {
      for (const { applied, cuts } of time.cases(largeUpgrades)) {
        const database = await copyOfDatabase(large);
        try {
          await undoTo(database, applied);
          for (const part of cuts) await cut(database, part * wholeMs);
          await migrate(database.url);
          expect(await schemaOf(database)).toEqual(schema);
          const app = await startOn(database);
          try {
            await expectTheSame(app, applied);
          } finally {
            await app.close();
          }
        } finally {
          await database.drop();
        }
        campaign.count(`upgrades with ${RECORDS} records`);
      }
    });
  });

  /**
   * Measures each migration separately, on a copy of a database.
   *
   * @returns the duration of all migrations in milliseconds
   */
  async function timeOfMigrations(of: TestDatabase): Promise<number> {
    const database = await copyOfDatabase(of);
    const dataSource = dataSourceOn(database);
    try {
      await undoTo(database, 1);
      await dataSource.initialize();
      const runner = dataSource.createQueryRunner();
      const times: (readonly [name: string, ms: number])[] = [];
      for (const migration of MIGRATIONS.slice(1)) {
        const begun = performance.now();
        await runner.startTransaction();
        await new migration().up(runner);
        await runner.commitTransaction();
        times.push([migration.name, performance.now() - begun]);
      }
      await runner.release();
      const longest = times.toSorted(([, one], [, other]) => other - one);
      for (const [name, ms] of longest.slice(0, 3)) campaign.most(`ms of ${name}`, ms);
      const whole = times.reduce((sum, [, ms]) => sum + ms, 0);
      campaign.most('ms of all migrations', whole);
      return whole;
    } finally {
      await dataSource.destroy();
      await database.drop();
    }
  }
});
