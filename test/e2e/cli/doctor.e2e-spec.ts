import { Client } from 'pg';
import { createDatabase, migratedDatabase, type TestDatabase } from '../../support/database/database';
import { keysSetting, masterKey } from '../credentials/master-keys';
import { commandsOn, runCommand } from './run-command';

const keysOf = (...ids: string[]) => ({ CREDENTIALS_KEYS: keysSetting(...ids.map((id) => masterKey(id))) });

interface Found {
  readonly check: string;
  readonly state: string;
  readonly detail: string;
  readonly customer_id: string | null;
}

describe('doctor', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await migratedDatabase()));
  afterAll(() => database.drop());

  async function found(
    environment: NodeJS.ProcessEnv,
  ): Promise<{ code: number; err: string; findings: Found[] }> {
    const { code, out, err } = await runCommand({ LOG_LEVEL: 'silent', ...environment }, [
      'doctor',
      '--json',
    ]);
    return { code, err, findings: (JSON.parse(out) as { findings: Found[] }).findings };
  }
  const states = (findings: readonly Found[]) => findings.map(({ check, state }) => `${check} ${state}`);

  it('finds an installation in order, and exits with 0', async () => {
    const own = await migratedDatabase();
    const { code, err, findings } = await found({ DATABASE_URL: own.url });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(states(findings)).toEqual(['settings ok', 'database ok', 'migrations ok', 'clock ok', 'keys ok']);
    const { out } = await commandsOn(() => own.url).cli('doctor');
    expect(out).toMatch(/^check +state +customer_id +detail\nsettings +ok +- +All settings can be used\n/);
    await own.drop();
  });

  it('names a setting that cannot be used', async () => {
    const { code, err, findings } = await found({ DATABASE_URL: database.url, PORT: 'many' });
    expect({ code, err }).toEqual({ code: 1, err: '1 thing is wrong\n' });
    expect(findings).toEqual([
      { check: 'settings', state: 'wrong', detail: expect.stringContaining('PORT'), customer_id: null },
    ]);
  });

  it('reports that the database does not answer, and which checks were not tried', async () => {
    const { code, findings } = await found({ DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/none' });
    expect(code).toBe(1);
    expect(states(findings)).toEqual([
      'settings ok',
      'database wrong',
      'migrations not tried',
      'clock not tried',
      'keys not tried',
      'platform not tried',
    ]);
    expect(JSON.stringify(findings)).not.toContain('secret');
  });

  it('finds migrations that are pending, and leaves the schema as it is', async () => {
    const empty = await createDatabase();
    try {
      const { code, findings } = await found({ DATABASE_URL: empty.url });
      expect(code).toBe(1);
      expect(states(findings)).toContain('migrations wrong');
      const client = new Client({ connectionString: empty.url });
      await client.connect();
      const { rows } = await client.query(
        `select table_name from information_schema.tables where table_schema = 'public'`,
      );
      await client.end();
      expect(rows).toEqual([]);
    } finally {
      await empty.drop();
    }
  });

  it('finds a key that is missing, and the connections that need it', async () => {
    const { aCustomer, piped } = commandsOn(() => database.url, keysOf('first'));
    const customer = await aCustomer();
    const credentials = {
      login_url: 'https://127.0.0.1:1',
      api_url: 'https://127.0.0.1:1',
      company_id: '1',
      client_id: 'client',
      client_secret: 'hunter2',
    };
    const set = await piped(
      JSON.stringify(credentials),
      ...['connections', 'set', '--customer', customer, '--platform', 'platform_a', '--json'],
    );
    expect(set).toMatchObject({ code: 0, err: '' });
    const { code, err, findings } = await found({ DATABASE_URL: database.url, ...keysOf('other') });
    expect({ code, err }).toEqual({ code: 1, err: '2 things are wrong\n' });
    expect(findings.filter(({ state }) => state === 'wrong')).toEqual([
      { check: 'keys', state: 'wrong', detail: expect.stringContaining('"first"'), customer_id: null },
      {
        check: 'platform',
        state: 'wrong',
        detail: expect.stringMatching(/^platform_a: CREDENTIALS_KEYS lacks the key "first"/),
        customer_id: customer,
      },
    ]);
    expect(JSON.stringify(findings)).not.toContain('hunter2');
    const of = ['--customer', customer, '--platform', 'platform_a'];
    const { cli: withoutKey } = commandsOn(() => database.url, keysOf('other'));
    expect(await withoutKey('connections', 'test', ...of)).toEqual({
      code: 1,
      out: '',
      err: 'CREDENTIALS_KEYS lacks the key "first" that stored credentials are sealed with; add it again\n',
    });
  });
});
