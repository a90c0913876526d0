import { Client } from 'pg';
import { realTime } from '../../../src/platforms/live/time';
import { startApp, type RunningApp } from '../../support/app/app';
import { FarPlatform, portfolioRecords } from '../../support/platforms/far-platform';
import { GivenRecords } from '../../support/platforms/given-records';
import { platforms, portfolioOf } from '../../support/customers/portfolio';
import { api } from '../../support/app/api';
import { commandsOn, keptCommandsOn } from '../cli/run-command';
import { keysSetting, masterKey } from '../credentials/master-keys';

jest.setTimeout(60_000);

const key = masterKey('first');
const credentials = JSON.stringify({
  login_url: 'https://login.example',
  api_url: 'https://api.example',
  company_id: 1,
  client_id: 'client',
  client_secret: 'hunter2',
});

/** Rows that only a live connection has, made as if it had been used for long. */
const fillings = [
  `insert into platform_tokens (customer_id, platform) values ($1, 'platform_a') on conflict do nothing`,
  `insert into named_records (customer_id, platform, entity_type, platform_id, named_at)
   select customer_id, platform, 'payment', '1', now() from live_connections where customer_id = $1`,
  `insert into webhook_schedules (customer_id, platform, due_at, settings_changed_at)
   select customer_id, platform, now(), changed_at from live_connections where customer_id = $1 on conflict do nothing`,
  `insert into webhook_subscriptions (customer_id, platform, address_hash, topic, secret_hash)
   select customer_id, platform, md5(customer_id::text), 'company', 'x' from live_connections where customer_id = $1`,
];

/** Tables whose rows belong to a connection that is live, and go with it whether or not its records stay. */
const ofLife = [
  'live_connections',
  'platform_tokens',
  'sync_schedules',
  'named_records',
  'webhook_schedules',
  'webhook_subscriptions',
];
/** Those that go with the records. */
const ofRecords = ['connections', 'platform_records', 'deleted_records', 'sync_cursors'];

describe('remaining rows of a removed connection', () => {
  const given = new GivenRecords();
  let service: RunningApp;
  let database: Client;
  let customerId: string;
  const { cli, piped } = keptCommandsOn(() => service.databaseUrl, { CREDENTIALS_KEYS: keysSetting(key) });
  beforeAll(async () => {
    // Nobody answers at these addresses: the attempts follow one another without pauses.
    jest.spyOn(realTime, 'random').mockReturnValue(0);
    service = await startApp({ credentialsKeys: [key] }, [], given);
    database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
  });
  afterAll(async () => {
    await database.end();
    await service.close();
  });
  const args = () => ['--customer', customerId, '--platform', 'platform_a'];
  async function rowsIn(tables: readonly string[], platform?: string) {
    const counts: Record<string, number> = {};
    for (const table of tables) {
      const { rows } = await database.query<{ count: number }>(
        `select count(*)::int as count from ${table} where customer_id = $1 ${platform === undefined ? '' : `and platform = '${platform}'`}`,
        [customerId],
      );
      if (rows[0]?.count !== 0) counts[table] = rows[0]?.count ?? 0;
    }
    return counts;
  }

  /** A customer whose platform_a is live and was read, and whose platform_b is a sandbox. */
  beforeEach(async () => {
    const caller = await service.issueKey('live');
    ({ customerId } = caller);
    const portfolio = portfolioOf(service.url, caller, database);
    given.use(customerId, 'platform_a', new FarPlatform('platform_a', portfolioRecords('platform_a')));
    expect((await piped(credentials, 'connections', 'set', ...args())).code).toBe(0);
    for (const platform of platforms) await portfolio.connect(platform);
    for (const filling of fillings) await database.query(filling, [customerId]);
    expect(Object.keys(await rowsIn(ofLife, 'platform_a')).sort()).toEqual([...ofLife].sort());
  });

  it('after the removal of a live connection: its records and their cursors', async () => {
    expect((await cli('connections', 'remove', ...args())).code).toBe(0);
    expect(await rowsIn(ofLife, 'platform_a')).toEqual({});
    expect(await rowsIn(['connections', 'platform_records'], 'platform_a')).toEqual({
      connections: 1,
      platform_records: 38,
    });
  });

  it('after the removal where the key has another value than the one that sealed: the same', async () => {
    const other = commandsOn(() => service.databaseUrl, {
      CREDENTIALS_KEYS: keysSetting(masterKey('first')),
    });
    expect(await other.cli('connections', 'remove', ...args())).toEqual({
      code: 0,
      out: 'Removed the live connection to platform_a; its records stay until the next connect\n',
      err: expect.stringMatching(
        /^The webhooks at platform_a are still there, .*: The key "first" of CREDENTIALS_KEYS does not open [^\n]*\n$/,
      ),
    });
    expect(await rowsIn(ofLife, 'platform_a')).toEqual({});
  });

  it('after a purge: none', async () => {
    expect((await cli('connections', 'remove', ...args(), '--purge')).code).toBe(0);
    expect(await rowsIn([...ofLife, ...ofRecords], 'platform_a')).toEqual({});
    expect(await rowsIn(['connections'], 'platform_b')).toEqual({ connections: 1 });
  });

  it('after the end of a demo session: none, in any table', async () => {
    const session = await service.openSession();
    ({ customerId } = session);
    const client = api(service.url, session.key);
    for (const platform of platforms) await client.post('/connect', { platform });
    const { rows } = await database.query<{ name: string }>(
      `select table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'customer_id' order by 1`,
    );
    const tables = rows.map(({ name }) => name);
    expect(Object.keys(await rowsIn(tables))).toContain('platform_records');
    expect((await client.delete('/demo/session')).status).toBeLessThan(300);
    expect(await rowsIn(tables)).toEqual({});
  });
});
