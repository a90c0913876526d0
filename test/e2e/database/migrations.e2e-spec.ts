import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { ExpireKeysAndSessions1790100000000 } from '../../../migrations/1790100000000-expire-keys-and-sessions';
import { CasesWithReviews1796000092000 } from '../../../migrations/1796000092000-cases-with-reviews';
import { dataSourceOptions } from '../../../src/database/connection/data-source';
import { ENTITIES, TABLES_OF_FLOWS } from '../../../src/database/entities/all';
import { listMigrations, migrate, MIGRATIONS } from '../../../src/database/schema/migrate';
import { createDatabase, type TestDatabase } from '../../support/database/database';

// Each test takes a moment only, but machines may be busy.
jest.setTimeout(30_000);

describe('The migrations', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeEach(async () => {
    database = await createDatabase();
    dataSource = new DataSource(dataSourceOptions(database.url, { migrations: MIGRATIONS }));
    await dataSource.initialize();
  });

  afterEach(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const tables = async (): Promise<string[]> => {
    const rows = await dataSource.query<{ name: string }[]>(
      `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
    );
    return rows.map(({ name }) => name);
  };

  const changesWanted = async (): Promise<string[]> => {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    return upQueries.map(({ query }) => query);
  };

  it('are all listed', async () => {
    const files = await readdir(join(__dirname, '../../../migrations'));
    const classes = files
      .toSorted()
      .map((file) =>
        file.replace(/^(\d+)-(.*)\.ts$/, (_all, time: string, name: string) => `${camel(name)}${time}`),
      );
    expect(MIGRATIONS.map(({ name }) => name)).toEqual(classes);
  });

  it('create the schema of the entities: up, down and up again', async () => {
    await dataSource.runMigrations();
    expect(await changesWanted()).toEqual([]);
    for (let left = MIGRATIONS.length; left > 0; left -= 1) await dataSource.undoLastMigration();
    expect(await tables()).toEqual(['migrations']);
    await dataSource.runMigrations();
    expect(await tables()).toEqual(
      [
        ...ENTITIES.map((entity) => dataSource.getMetadata(entity).tableName),
        ...TABLES_OF_FLOWS,
        'migrations',
      ].toSorted(),
    );
    expect(await changesWanted()).toEqual([]);
  });

  it('fail that comparison if a column differs', async () => {
    await dataSource.runMigrations();
    await dataSource.query('alter table connections alter column currency type text collate "default"');
    await dataSource.query(
      'alter table platform_records alter column payload type jsonb using payload::jsonb',
    );
    expect((await changesWanted()).join('; ')).toMatch(/payload.*currency|currency.*payload/s);
  });

  it('begin the keys of all customer data with the customer', async () => {
    await dataSource.runMigrations();
    const leading = await dataSource.query<{ table: string; column: string }[]>(`
      select i.indrelid::regclass::text as table, a.attname as column
      from pg_index i
      join pg_class c on c.oid = i.indrelid
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      where c.relnamespace = 'public'::regnamespace and i.indrelid <> all ('{migrations,customers,api_keys,rate_limit_windows,platform_rate_limiters}'::regclass[])
        -- Looked up before the customer is known; the table stays whole.
        and i.indexrelid <> 'uq_webhook_subscriptions_address'::regclass
        -- Looks across customers for due work; they decide nothing but who comes first.
        and i.indexrelid <> all ('{ix_due_comparisons_due_at,ix_changes_age,ix_comparison_marks_mark,ix_propagations_made,ix_idempotency_keys_made,
          ix_deleted_records_age,ix_sync_schedules_due,ix_sync_schedules_requested,ix_webhook_schedules_due,
          ix_case_reviews_ended,ix_case_reviews_begun,ix_case_notes_written,ix_events_at,ix_passthrough_requests_sent}'::regclass[])`);
    expect(leading.length).toBeGreaterThan(0);
    expect(leading.filter(({ column }) => column !== 'customer_id')).toEqual([]);
  });

  it('let stored cases show their reviews, and count them so', async () => {
    const { name } = CasesWithReviews1796000092000;
    const [customer, kind] = ['0c1f4a1e-4f0b-4a53-9f0f-3d9c8a4b7f11', 'only_on'];
    await dataSource.runMigrations();
    for (let left = MIGRATIONS.length - MIGRATIONS.findIndex((one) => one.name === name); left > 0; left -= 1)
      await dataSource.undoLastMigration();
    await dataSource.query(
      `insert into customers (id, name, kind) values ('${customer}', 'Acme', 'standard')`,
    );
    await dataSource.query(
      `insert into comparison_cases (customer_id, id, object_id, left_platform, right_platform, kind, entity_type, weight,
         opened_at, document_since, due_since, detail, values_digest)
       select '${customer}', id, id, 'platform_a', 'platform_a', '${kind}', 'payment', 1, '2026-01-01', '2026-01-01', '2026-01-01',
         '{}', 'now' from unnest('{accepted,limited,other_values,owned,unreviewed}'::text[]) id`,
    );
    await dataSource.query(
      `insert into case_reviews (customer_id, case_id, valid_from, owner, accepted_at, accepted_reason, accepted_by,
         accepted_until, accepted_values)
       values ('${customer}', 'accepted', now(), null, now(), 'Known', 'Ada', null, 'now'),
         ('${customer}', 'limited', now(), 'Ann', now(), 'Known', 'Ada', '2030-01-01', 'now'),
         ('${customer}', 'other_values', now(), null, now(), 'Known', 'Ada', null, 'then'),
         ('${customer}', 'owned', now(), 'Ann', null, null, null, null, null)`,
    );
    await dataSource.query(
      `insert into case_counts (customer_id, left_platform, right_platform, kind, entity_type, platform, field, project_id,
         left_currency, right_currency, opened_hour, cases)
       values ('${customer}', 'platform_a', 'platform_a', '${kind}', 'payment', '', '', '', '', '', '2026-01-01', 5)`,
    );
    await dataSource.runMigrations();
    const shown = `owner, is_accepted as accepted, (accepted_until at time zone 'UTC')::date::text as until`;
    expect(await dataSource.query(`select id, ${shown} from comparison_cases order by id`)).toEqual([
      { id: 'accepted', owner: null, accepted: true, until: null },
      { id: 'limited', owner: 'Ann', accepted: true, until: '2030-01-01' },
      { id: 'other_values', owner: null, accepted: false, until: null },
      { id: 'owned', owner: 'Ann', accepted: false, until: null },
      { id: 'unreviewed', owner: null, accepted: false, until: null },
    ]);
    expect(
      await dataSource.query(
        `select owner, is_accepted as accepted, accepted_until = 'infinity' as ever, cases from case_counts order by 1, 2, 3`,
      ),
    ).toEqual([
      { owner: '', accepted: false, ever: true, cases: 2 },
      { owner: '', accepted: true, ever: true, cases: 1 },
      { owner: 'Ann', accepted: false, ever: true, cases: 1 },
      { owner: 'Ann', accepted: true, ever: false, cases: 1 },
    ]);
  });

  it('compare all text by its bytes', async () => {
    await dataSource.runMigrations();
    const others = await dataSource.query<unknown[]>(`
      select table_name, column_name from information_schema.columns
      where table_schema = 'public' and table_name <> 'migrations' and data_type = 'text'
        and collation_name is distinct from 'C'`);
    expect(others).toEqual([]);
  });
});

describe('migrate()', () => {
  let database: TestDatabase;

  beforeEach(async () => (database = await createDatabase()));
  afterEach(() => database.drop());

  const names = MIGRATIONS.map(({ name }) => name);

  it('returns what it has applied, and nothing the second time', async () => {
    expect(await migrate(database.url)).toEqual(names);
    expect(await migrate(database.url)).toEqual([]);
  });

  it('runs each migration once when several instances start together', async () => {
    const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(database.url)));
    expect(applied.flat()).toEqual(names);
    const dataSource = await new DataSource(dataSourceOptions(database.url)).initialize();
    const rows = await dataSource.query<unknown[]>('select name from migrations order by id');
    await dataSource.destroy();
    expect(rows).toEqual(names.map((name) => ({ name })));
  });

  it('leaves nothing behind when a migration fails', async () => {
    const dataSource = await new DataSource(dataSourceOptions(database.url)).initialize();
    await dataSource.query('create table propagations (strange int)');
    await expect(migrate(database.url)).rejects.toThrow(/"propagations" already exists/);
    const rows = await dataSource.query<unknown[]>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    await dataSource.destroy();
    expect(rows).toEqual([{ name: 'propagations' }]);
  });
});

describe('migrate(), while the release before is at work', () => {
  const customer = '0c1f4a1e-4f0b-4a53-9f0f-3d9c8a4b7f11';
  let database: TestDatabase;
  let earlier: Client;
  beforeEach(async () => {
    database = await createDatabase();
    const before = MIGRATIONS.filter((migration) => migration !== ExpireKeysAndSessions1790100000000);
    const dataSource = new DataSource(dataSourceOptions(database.url, { migrations: before }));
    await dataSource.initialize();
    await dataSource.runMigrations();
    await dataSource.destroy();
    earlier = new Client({ connectionString: database.url });
    await earlier.connect();
  });
  afterEach(async () => {
    await earlier.end();
    await database.drop();
  });

  it('waits for a demo session that is being opened, and does not block it', async () => {
    await earlier.query('begin');
    await earlier.query(`insert into customers (id, name, kind) values ($1, 'Demo session', 'demo')`, [
      customer,
    ]);
    const migrating = migrate(database.url);
    const waiting = `select from pg_locks where not granted and relation = 'customers'::regclass`;
    while ((await earlier.query(waiting)).rowCount === 0);
    await earlier.query(
      `insert into api_keys (id, customer_id, mode, hash, hint) values ($1, $1, 'demo', 'x', 'x')`,
      [customer],
    );
    await earlier.query('commit');
    await expect(migrating).resolves.toEqual([ExpireKeysAndSessions1790100000000.name]);
  });

  it('gives up when others keep what it changes, having changed nothing, and can be run again', async () => {
    await earlier.query('begin');
    await earlier.query('select from api_keys');
    await expect(migrate(database.url)).rejects.toThrow('Other work keeps what a migration has to change');
    await earlier.query('rollback');
    expect(await listMigrations(database.url)).toContainEqual({
      name: ExpireKeysAndSessions1790100000000.name,
      state: 'pending',
    });
    await expect(migrate(database.url)).resolves.toEqual([ExpireKeysAndSessions1790100000000.name]);
  });

  it('undone, leaves no expired key valid', async () => {
    await migrate(database.url);
    await earlier.query(`insert into customers (id, name, kind) values ($1, 'Acme', 'standard')`, [customer]);
    await earlier.query(
      `insert into api_keys (id, customer_id, mode, hash, hint, expires_at)
       select gen_random_uuid(), $1, 'live', n, n, ends
       from (values ('past', now() - interval '1 h'), ('future', now() + interval '1 h'), ('none', null)) t (n, ends)`,
      [customer],
    );
    const dataSource = await new DataSource(
      dataSourceOptions(database.url, { migrations: MIGRATIONS }),
    ).initialize();
    await dataSource.undoLastMigration();
    await dataSource.destroy();
    const { rows } = await earlier.query(
      'select hash, revoked_at is not null as void from api_keys order by hash',
    );
    expect(rows).toEqual([
      { hash: 'future', void: true },
      { hash: 'none', void: false },
      { hash: 'past', void: true },
    ]);
  });
});

function camel(name: string): string {
  return name.replace(/(^|-)(\w)/g, (_all, _dash, letter: string) => letter.toUpperCase());
}
