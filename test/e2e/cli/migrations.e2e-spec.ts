import { Client } from 'pg';
import { MIGRATIONS } from '../../../src/database/schema/migrate';
import { createDatabase, migratedDatabase, type TestDatabase } from '../../support/database/database';
import { commandsOn } from './run-command';

const names = MIGRATIONS.map(({ name }) => name);
const inState = (state: string) => names.map((name) => ({ name, state }));

describe('migrations', () => {
  let database: TestDatabase;
  beforeEach(async () => (database = await createDatabase()));
  afterEach(() => database.drop());
  const { cli, json } = commandsOn(() => database.url);
  const bringUpToDate = async () => {
    await database.drop();
    database = await migratedDatabase();
  };

  async function sql<Row extends object>(statement: string): Promise<Row[]> {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query<Row>(statement)).rows;
    } finally {
      await client.end();
    }
  }
  const tables = () =>
    sql(`select table_name from information_schema.tables where table_schema = 'public' order by 1`);

  it('list shows all as pending on an empty database, and leaves it empty', async () => {
    expect(await json('migrations', 'list')).toEqual({ migrations: inState('pending') });
    expect(await tables()).toEqual([]);
  });

  it('run applies them all, in order, and then has nothing to do', async () => {
    expect(await cli('migrations', 'run')).toEqual({
      code: 0,
      out: names.map((name) => `${name}\n`).join(''),
      err: '',
    });
    expect(await json('migrations', 'list')).toEqual({ migrations: inState('applied') });
    expect(await cli('migrations', 'run')).toEqual({
      code: 0,
      out: '',
      err: 'Nothing to do: the database is up to date\n',
    });
  });

  it('run prints what it applied as JSON', async () => {
    expect(await json('migrations', 'run')).toEqual({ applied: names });
    expect(await json('migrations', 'run')).toEqual({ applied: [] });
  });

  it('list shows which are applied, pending and unknown', async () => {
    await bringUpToDate();
    const newest = names.at(-1) ?? '';
    await sql(`update migrations set name = 'OfTheFuture1999999999999' where name = '${newest}'`);
    expect(await json('migrations', 'list')).toEqual({
      migrations: [
        ...inState('applied').slice(0, -1),
        { name: newest, state: 'pending' },
        { name: 'OfTheFuture1999999999999', state: 'unknown' },
      ],
    });
    const { out } = await cli('migrations', 'list');
    expect(out.split('\n')[0]).toMatch(/^name +state$/);
    expect(out).toMatch(/^OfTheFuture1999999999999 +unknown$/m);
  });

  it('run reports why it fails, and leaves the database unchanged', async () => {
    await sql('create table propagations (strange int)');
    expect(await cli('migrations', 'run')).toEqual({
      code: 1,
      out: '',
      err: 'The database cannot be brought up to date: relation "propagations" already exists\n',
    });
    expect(await tables()).toEqual([{ table_name: 'propagations' }]);
    expect(await json('migrations', 'list')).toEqual({ migrations: inState('pending') });
  });

  it('run says that other work holds a table, not that the database does not answer', async () => {
    await bringUpToDate();
    const other = new Client({ connectionString: database.url });
    await other.connect();
    try {
      // It makes an index of the table that the other work holds.
      await other.query("delete from migrations where name = 'ParentsByTime1796000093000'");
      await other.query('begin');
      await other.query('lock table platform_records in row exclusive mode');
      for (const command of [
        ['migrations', 'run'],
        ['customers', 'list'],
      ]) {
        expect(await cli(...command)).toEqual({
          code: 1,
          out: '',
          err: 'The database cannot be brought up to date: Other work keeps what a migration has to change\n',
        });
      }
    } finally {
      await other.end();
    }
  });

  it('reports a certificate of the authority that cannot be read', async () => {
    const nowhere = commandsOn(() => `${database.url}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`);
    for (const command of [
      ['migrations', 'run'],
      ['customers', 'list'],
    ]) {
      const { code, err } = await nowhere.cli(...command);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("'/nowhere/ca.pem'") });
    }
  });

  it('run once when several run at a time', async () => {
    const runs = await Promise.all(Array.from({ length: 3 }, () => json('migrations', 'run')));
    expect(runs.flatMap(({ applied }) => applied)).toEqual(names);
  });

  it('distribute brings the schema up to date, and says in one line if the server cannot spread tables', async () => {
    const refusal = {
      code: 1,
      out: '',
      err: 'This PostgreSQL has no Citus; the tables stay on one server\n',
    };
    expect(await cli('migrations', 'distribute')).toEqual(refusal);
    expect(await json('migrations', 'list')).toEqual({ migrations: inState('applied') });
    expect(await cli('migrations', 'distribute', '--json')).toEqual(refusal);
  });
});
