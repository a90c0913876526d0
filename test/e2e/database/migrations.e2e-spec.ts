import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../../src/database/data-source';
import { ENTITIES } from '../../../src/database/entities/all';
import { migrate, MIGRATIONS } from '../../../src/database/migrate';
import { createDatabase, type TestDatabase } from '../../support/database';

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
    const classes = files.map((file) =>
      file.replace(/^(\d+)-(.*)\.ts$/, (_all, time: string, name: string) => `${camel(name)}${time}`),
    );
    expect(MIGRATIONS.map(({ name }) => name)).toEqual(classes.toSorted());
  });

  it('make what the entities describe, up, down and up again', async () => {
    await dataSource.runMigrations();
    expect(await changesWanted()).toEqual([]);
    for (let left = MIGRATIONS.length; left > 0; left -= 1) await dataSource.undoLastMigration();
    expect(await tables()).toEqual(['migrations']);
    await dataSource.runMigrations();
    expect(await tables()).toEqual(
      [...ENTITIES.map((entity) => dataSource.getMetadata(entity).tableName), 'migrations'].toSorted(),
    );
    expect(await changesWanted()).toEqual([]);
  });

  it('are missed by that comparison when a column differs', async () => {
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
      where c.relnamespace = 'public'::regnamespace and i.indrelid <> all ('{migrations,customers,api_keys,rate_limit_windows}'::regclass[])`);
    expect(leading.length).toBeGreaterThan(0);
    expect(leading.filter(({ column }) => column !== 'customer_id')).toEqual([]);
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

  it('tells what it has applied, and nothing the second time', async () => {
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

function camel(name: string): string {
  return name.replace(/(^|-)(\w)/g, (_all, _dash, letter: string) => letter.toUpperCase());
}
