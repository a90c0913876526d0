import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import type { PlatformFacts, Connection, ConnectionName } from '../../../src/platforms/connector';
import { CredentialsService } from '../../../src/platforms/credentials/credentials.service';
import type { RequestToken } from '../../../src/platforms/live/tokens/token';
import { TokenSource } from '../../../src/platforms/live/tokens/token-source';
import { Metrics } from '../../../src/runtime/metrics/metrics';
import { api } from '../../support/app/api';
import { startApp, type Caller, type RunningApp } from '../../support/app/app';
import { FarPlatform, portfolioRecords } from '../../support/platforms/far-platform';
import { GivenRecords } from '../../support/platforms/given-records';
import { commandsOn, type Ran } from '../cli/run-command';
import { keysSetting, masterKey } from './master-keys';
import { never } from '../../support/this-process/never';

jest.setTimeout(60_000);

/** Values that look like themselves only, so that finding one means that it got out. */
const secretValue = (name: string): string => `${name}-${randomBytes(12).toString('hex')}`;

describe('secrets of live connections', () => {
  const key = masterKey('first');
  const values = {
    client: secretValue('client'),
    refused: secretValue('refused'),
    misplaced: secretValue('misplaced'),
    access: secretValue('access'),
    refresh: secretValue('refresh'),
    later: secretValue('later'),
    master: key.key.export().toString('base64'),
  };
  const secrets = Object.values(values);
  const given = new GivenRecords();
  const said: string[] = [];
  const answers: string[] = [];
  let service: RunningApp;
  let database: Client;
  let caller: Caller;

  const credentials = (over: object = {}) =>
    JSON.stringify({
      login_url: 'https://login.example',
      api_url: 'https://api.example',
      company_id: 1,
      client_id: 'client',
      client_secret: values.client,
      ...over,
    });
  const { cli, piped } = commandsOn(() => service.databaseUrl, {
    CREDENTIALS_KEYS: keysSetting(key),
  });
  const note = ({ out, err }: Ran) => void said.push(out, err);
  const tokens = () => service.app.get(TokenSource, { strict: false });
  const opened = async ({ customerId, platform }: ConnectionName) => {
    const shown = await service.app.get(CredentialsService, { strict: false }).show(customerId, platform);
    return { customerId, platform, settings: shown?.settings ?? {} };
  };

  /** A platform that asks for a token with the customer's credentials, and fails in the worst way. */
  class Careless extends FarPlatform {
    override async describe(connection?: Connection): Promise<PlatformFacts> {
      if (connection === undefined) throw new Error('There is a connection');
      const fails: RequestToken = (found) => {
        const failure = new Error(`refused for ${String(found.secrets)}`, { cause: found });
        throw Object.assign(failure, { credentials: found, secrets: found.secrets });
      };
      await tokens().token(await opened(connection), fails, never);
      return super.describe();
    }
  }

  beforeAll(async () => {
    service = await startApp({ credentialsKeys: [key], logLevel: 'trace' }, [], given);
    database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
    caller = await service.issueKey('live');
    const args = ['--customer', caller.customerId, '--platform', 'platform_a'];
    const set = async (text: string) => note(await piped(text, 'connections', 'set', ...args, '--json'));

    await set(credentials({ client_secret: [values.refused] }));
    await set(credentials({ clientsecret: values.refused }));
    await set(credentials({ api_url: `https://user:${values.misplaced}@api.example` }));
    await set(credentials({ company_id: { secret: values.misplaced } }));
    await set(`{"client_secret": "${values.misplaced}" oops`);
    await set(credentials());
    for (const more of [['--json'], []]) note(await cli('connections', 'show', ...args, ...more));
    note(await cli('credentials', 'rewrap'));

    given.use(caller.customerId, 'platform_a', new Careless('platform_a', portfolioRecords('platform_a')));
    const client = api(service.url, caller.key);
    answers.push((await client.post('/connect', { platform: 'platform_a' })).text);
    const connection = await opened({ customerId: caller.customerId, platform: 'platform_a' });
    const token = await tokens().token(
      connection,
      () =>
        Promise.resolve({ accessToken: values.access, expiresInSeconds: 60, refreshToken: values.refresh }),
      never,
    );
    expect(token.value).toBe(values.access);
    await tokens().renew(
      connection,
      token,
      () =>
        Promise.resolve({ accessToken: values.later, expiresInSeconds: 60, refreshToken: values.refresh }),
      never,
    );
    given.use(caller.customerId, 'platform_a', new FarPlatform('platform_a', portfolioRecords('platform_a')));
    for (const answer of [
      await client.post('/connect', { platform: 'platform_a' }),
      await client.get('/connections'),
      await client.get('/objects?platform=platform_a&entity_type=payment'),
    ]) {
      answers.push(answer.text);
    }
  });
  afterAll(async () => {
    await database.end();
    await service.close();
  });

  /** Expects no secret in a text, neither as it is nor in a common spelling. */
  function expectNone(text: string): void {
    for (const secret of secrets) {
      for (const spelt of ['utf8', 'hex', 'base64', 'base64url'] as const) {
        // The end of a Base64 text depends on what follows.
        expect(text).not.toContain(Buffer.from(secret, 'utf8').toString(spelt).slice(0, 24));
      }
    }
    expect(text).not.toContain(key.key.export().toString('hex'));
  }

  it('are in no table, whatever the column', async () => {
    const { rows: tables } = await database.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    expect(tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['live_connections', 'platform_tokens']),
    );
    let seen = 0;
    for (const { name } of tables) {
      const { rows } = await database.query<{ row: string }>(`select t::text as row from "${name}" t`);
      seen += rows.length;
      expectNone(rows.map(({ row }) => row).join('\n'));
    }
    expect(seen).toBeGreaterThan(20);
    const { rows } = await database.query(
      'select from platform_tokens where sealed_refresh_token is not null',
    );
    expect(rows).toHaveLength(1);
  });

  it('are in no statement that the server shows', async () => {
    const { rows } = await database.query<{ query: string }>('select query from pg_stat_activity');
    expect(rows.length).toBeGreaterThan(1);
    expectNone(rows.map(({ query }) => query).join('\n'));
  });

  it('are in no line of the log, at any level, also after a careless failure', () => {
    const log = service.log.map((line) => JSON.stringify(line)).join('\n');
    expect(log).toContain('refused for [secrets]');
    expectNone(log);
  });

  it('are in no answer', () => {
    expect(answers[0]).toContain('INTERNAL_ERROR');
    expectNone(answers.join('\n'));
  });

  it('are in nothing that an operator reads', () => {
    expect(said.join('\n')).toContain('client_secret must be text');
    expect(said.join('\n')).toContain('https://api.example');
    expectNone(said.join('\n'));
  });

  it('are in no metric', async () => {
    const text = await service.app.get(Metrics, { strict: false }).registry.metrics();
    expect(text).toContain('# HELP');
    expectNone(text);
  });
});
