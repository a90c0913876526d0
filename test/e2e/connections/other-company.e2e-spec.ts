import { Client } from 'pg';
import { PlatformUnavailable } from '../../../src/platforms/platform-error';
import { PropagateWait } from '../../../src/propagate/propagate.service';
import { startApp, type RunningApp } from '../../support/app/app';
import { FarPlatform, portfolioRecords } from '../../support/platforms/far-platform';
import { GivenRecords } from '../../support/platforms/given-records';
import { until } from '../../support/live/live-work';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { platforms, portfolioOf, type Portfolio, ON_A } from '../../support/customers/portfolio';
import { untilPutOff } from '../../support/live/put-off';
import { keptCommandsOn } from '../cli/run-command';
import { keysSetting, masterKey } from '../credentials/master-keys';

jest.setTimeout(60_000);

const HOUR = 3_600_000;
const key = masterKey('first');
const first = { company_id: 1, api_url: 'https://api.example' };
const textOf = (over: object = {}): string =>
  JSON.stringify({
    login_url: 'https://login.example',
    client_id: 'client',
    client_secret: 'hunter2',
    ...first,
    ...over,
  });

describe('connections set for another company', () => {
  const given = new GivenRecords();
  let service: RunningApp;
  let database: Client;
  let portfolio: Portfolio;
  let far: FarPlatform;
  const { cli, json, piped } = keptCommandsOn(() => service.databaseUrl, {
    CREDENTIALS_KEYS: keysSetting(key),
  });
  beforeAll(async () => {
    service = await startApp({ credentialsKeys: [key] }, [], given);
    service.app.get(PropagateWait, { strict: false }).milliseconds = 50;
    database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
  });
  afterAll(async () => {
    await database.end();
    await service.close();
  });
  const of = () => ['--customer', portfolio.customerId, '--platform', 'platform_a'];
  const set = (over: object, ...args: string[]) =>
    piped(textOf(over), 'connections', 'set', ...of(), ...args);
  const countOf = async (sql: string) => {
    const [row] = await portfolio.sql<{ count: number }>(`select count(*)::int as count from ${sql}`, [
      portfolio.customerId,
    ]);
    return row?.count ?? 0;
  };
  const recordsOfA = () => countOf(`platform_records where customer_id = $1 and platform = 'platform_a'`);
  const companyOfA = async () => {
    const [row] = await portfolio.sql<{ company: string }>(
      `select settings ->> 'company_id' as company from live_connections where customer_id = $1`,
      [portfolio.customerId],
    );
    return row?.company;
  };

  /** A customer whose platform_a is live, and whose platform_b is a sandbox; both were read. */
  beforeEach(async () => {
    portfolio = portfolioOf(service.url, await service.issueKey('live'), database);
    far = new FarPlatform('platform_a', portfolioRecords('platform_a'));
    given.use(portfolio.customerId, 'platform_a', far);
    expect((await set({})).code).toBe(0);
    for (const platform of platforms) await portfolio.connect(platform);
  });

  it.each([
    ['company', { company_id: 2 }, 'company 2 at https://api.example'],
    ['host', { api_url: 'https://sandbox.example' }, 'company 1 at https://sandbox.example'],
  ])('is refused where only the %s differs, and changes nothing', async (_what, over, after) => {
    const before = await recordsOfA();
    expect(await set(over)).toEqual({
      code: 1,
      out: '',
      err:
        `The records of platform_a that are stored came from company 1 at https://api.example, and these credentials lead to ${after}; ` +
        'give --replace to remove those records first, or --same-company if it is one company under two addresses\n',
    });
    expect({ company: await companyOfA(), records: await recordsOfA() }).toEqual({
      company: '1',
      records: before,
    });
  });

  it('is refused also after the removal of the former credentials, whose records are still there', async () => {
    await json('connections', 'remove', ...of());
    expect((await set({ company_id: 2 })).code).toBe(1);
    expect(await set({})).toMatchObject({ code: 0 });
  });

  it('stores other credentials of the same company as ever', async () => {
    const before = await recordsOfA();
    for (const args of [[], ['--replace'], ['--same-company']]) {
      expect(await set({ client_secret: 'another', api_url: 'https://API.example/' }, ...args)).toEqual({
        code: 0,
        out: 'Stored the credentials for platform_a; the next connect reads the platform itself\n',
        err: '',
      });
    }
    expect(await recordsOfA()).toBe(before);
  });

  it('is allowed before the first reading, and after a reading of the sandbox', async () => {
    portfolio = portfolioOf(service.url, await service.issueKey('live'), database);
    expect((await set({})).code).toBe(0);
    expect((await set({ company_id: 2 })).code).toBe(0);
    await json('connections', 'remove', ...of());
    await portfolio.connect('platform_a');
    expect((await set({ company_id: 3 })).code).toBe(0);
  });

  it('--replace removes what the former company gave, before it can mix with that of the other', async () => {
    const onB = (await portfolio.list('platform_b', 'payment')).map(({ canonical_id: id }) => id);
    const before = await recordsOfA();
    expect(await set({ company_id: 2 }, '--replace')).toEqual({
      code: 0,
      out:
        `Removed ${before} records and 0 waiting changes of the former company\n` +
        'Stored the credentials for platform_a; the next connect reads the platform itself\n',
      err: '',
    });
    expect({ company: await companyOfA(), records: await recordsOfA() }).toEqual({
      company: '2',
      records: 0,
    });
    for (const table of ['deleted_records', 'sync_cursors', 'sync_schedules']) {
      expect({
        table,
        rows: await countOf(`${table} where customer_id = $1 and platform = 'platform_a'`),
      }).toEqual({
        table,
        rows: 0,
      });
    }
    const { connections } = (await portfolio.client.get('/connections')).body.data;
    expect(connections.map(({ platform }: { platform: string }) => platform)).toEqual(['platform_b']);
    expect((await portfolio.list('platform_b', 'payment')).map(({ canonical_id: id }) => id)).toEqual(onB);
    // The other company has one record, under an ID that the former one used as well.
    const [one] = portfolioRecords('platform_a').filter(({ entityType }) => entityType === 'project');
    given.use(
      portfolio.customerId,
      'platform_a',
      new FarPlatform('platform_a', one === undefined ? [] : [one]),
    );
    await portfolio.connect('platform_a');
    expect(await recordsOfA()).toBe(1);
    expect((await set({ company_id: 1 })).err).toContain('came from company 2 at https://api.example');
  });

  it.each<[string, () => Promise<void>]>([
    ['--replace', async () => expect((await set({ company_id: 2 }, '--replace')).code).toBe(0)],
    [
      'a reading of the sandbox',
      async () => {
        await json('connections', 'remove', ...of());
        await portfolio.connect('platform_a');
        expect((await set({})).code).toBe(0);
      },
    ],
  ])('after %s no deletion of former records waits for a person', async (_what, change) => {
    const { customerId } = portfolio;
    const held = async () => {
      const { waiting } = await json('status');
      const { items } = waiting.find(({ kind }: { kind: string }) => kind === 'held_deletions');
      const { connections } = await json('connections', 'list');
      const isOwn = (row: { customer_id: string }): boolean => row.customer_id === customerId;
      return {
        items: items.filter(isOwn).length,
        listed: connections
          .filter(
            (row: { customer_id: string; platform: string }) => isOwn(row) && row.platform === 'platform_a',
          )
          .map(({ held_deletions: count }: { held_deletions: number }) => count),
      };
    };
    await database.query(
      `update sync_runs set report = (report::jsonb || '{"deletionsHeld": 3}')::json where customer_id = $1 and platform = 'platform_a'`,
      [customerId],
    );
    expect(await held()).toEqual({ items: 1, listed: [3] });
    await change();
    const silent = new MovingPlatform([]);
    silent.beforePage = () => Promise.reject(new PlatformUnavailable('platform_a', 503, 'does not answer'));
    given.use(customerId, 'platform_a', silent);
    expect((await portfolio.client.post('/connect', { platform: 'platform_a' })).status).toBe(502);
    expect(await held()).toEqual({ items: 0, listed: [0] });
  });

  it('--replace cancels what waits for the former company', async () => {
    far.reactions.push({ deferFor: HOUR });
    const { canonical_id: id } = await portfolio.find('platform_a', 'payment', ON_A);
    await portfolio.canonical('payment', id, { notes: 'waits' });
    await untilPutOff((sql, parameters) => portfolio.sql(sql, parameters), portfolio.customerId);
    const { out } = await piped(
      textOf({ company_id: 2 }),
      'connections',
      'set',
      ...of(),
      '--replace',
      '--json',
    );
    expect(JSON.parse(out)).toMatchObject({ settings: { company_id: '2' }, changes_cancelled: 1 });
    const [command] = await portfolio.sql<{ status: string; reason: string }>(
      `select status, reason from outbox_commands where customer_id = $1 and platform = 'platform_a'`,
      [portfolio.customerId],
    );
    expect(command).toEqual({
      status: 'skipped',
      reason: 'the connection to platform_a leads to another company now',
    });
    expect(far.effects).toEqual([]);
  });

  it.each([
    ['with --replace, for the other company', true],
    ['in place of the sandbox, for the live one', false],
  ])('%s leaves no write that a person takes up again', async (_what, isLive) => {
    if (!isLive) {
      portfolio = portfolioOf(service.url, await service.issueKey('live'), database);
      given.use(portfolio.customerId, 'platform_a', far);
      for (const platform of platforms) await portfolio.connect(platform);
    }
    const alone = (await portfolio.list('platform_b', 'customer')).find(
      ({ mappings }) => mappings.length === 1,
    );
    if (alone === undefined) throw new Error('Every customer is on both platforms');
    far.reactions.push('be silent');
    far.settle = () => Promise.resolve({ status: 'held', reason: 'nobody can tell' });
    await portfolio.creating.native('platform_b', 'customer', alone.id, { phoneNumber: '+974 1' });
    const commandOfA = async () => {
      const [command] = await portfolio.sql<{ id: string; status: string }>(
        `select id, status from outbox_commands where customer_id = $1 and platform = 'platform_a'`,
        [portfolio.customerId],
      );
      return command;
    };
    await until('the write is held', async () => (await commandOfA())?.status === 'held');
    const held = await commandOfA();
    expect(held).toMatchObject({ status: 'held' });

    expect((await set({ company_id: 2 }, ...(isLive ? ['--replace'] : []))).code).toBe(0);
    const other = new FarPlatform('platform_a', []);
    given.use(portfolio.customerId, 'platform_a', other);
    const retry = ['outbox', 'retry', '--command', held?.id ?? '', '--reason', 'Looked'];
    const refused = {
      code: 1,
      out: '',
      err: expect.stringMatching(/^Command \S+ was for records of platform_a that were removed since; /),
    };
    // Until the first reading of the live one, a connection that was a sandbox is one.
    if (isLive) expect(await cli(...retry)).toEqual(refused);
    await portfolio.connect('platform_a');
    expect(await cli(...retry)).toEqual(refused);
    expect(await cli(...retry, '--send-again')).toEqual(refused);
    expect(await commandOfA()).toEqual(held);
    expect(other.submitted).toEqual([]);
    expect((await cli('outbox', 'discard', ...retry.slice(2))).code).toBe(0);
  });

  describe.each([
    ['another company', true],
    ['a company in place of the sandbox', false],
  ])('set for %s', (_what, isLive) => {
    it('leaves no write that waited behind a held one and goes to it once that is taken up', async () => {
      const ofB = ['--customer', portfolio.customerId, '--platform', 'platform_b'];
      const setB = (company: number, ...args: string[]) => {
        const credentials = {
          token_url: 'https://login.example',
          api_url: 'https://api.example/api/v2.0',
          company_id: company,
          client_id: 'client',
          client_secret: 'hunter2',
        };
        return piped(JSON.stringify(credentials), 'connections', 'set', ...ofB, ...args);
      };
      if (isLive) {
        given.use(
          portfolio.customerId,
          'platform_b',
          new FarPlatform('platform_b', portfolioRecords('platform_b')),
        );
        expect((await setB(1)).code).toBe(0);
        await portfolio.connect('platform_b');
      }
      const alone = (await portfolio.list('platform_a', 'project')).find(
        ({ mappings }) => mappings.length === 1,
      );
      if (alone === undefined) throw new Error('Every project is on both platforms');
      far.reactions.push('take and be silent');
      const settle = far.settle.bind(far);
      far.settle = () => Promise.resolve({ status: 'held', reason: 'nobody can tell' });
      await portfolio.creating.native('platform_a', 'project', alone.id, { name: 'Renamed' });
      const commands = async () =>
        portfolio.sql<{ id: string; platform: string; status: string }>(
          `select id, platform, status from outbox_commands where customer_id = $1 order by position`,
          [portfolio.customerId],
        );
      const onceFirstIs = async (status: string) => {
        await until(`the first write is ${status}`, async () => (await commands())[0]?.status === status);
        return commands();
      };
      const [held, behind] = await onceFirstIs('held');
      expect([held, behind]).toMatchObject([
        { platform: 'platform_a', status: 'held' },
        { platform: 'platform_b', status: 'skipped' },
      ]);

      expect((await setB(2, '--replace')).code).toBe(0);
      const other = new FarPlatform('platform_b', []);
      given.use(portfolio.customerId, 'platform_b', other);
      await portfolio.connect('platform_b');
      far.settle = settle;
      expect((await cli('outbox', 'retry', '--command', held?.id ?? '', '--reason', 'Looked')).code).toBe(0);
      expect(await onceFirstIs('applied')).toMatchObject([{ status: 'applied' }, { status: 'skipped' }]);
      expect(other.submitted).toEqual([]);
      expect(await portfolio.list('platform_b', 'project')).toEqual([]);
    });
  });

  it('--same-company keeps everything, and uses the new address from then on', async () => {
    const before = await recordsOfA();
    const moved = { api_url: 'https://moved.example' };
    expect((await set(moved, '--same-company')).code).toBe(0);
    expect(await recordsOfA()).toBe(before);
    expect((await set(moved)).code).toBe(0);
    expect((await set({})).err).toContain('came from company 1 at https://moved.example');
  });

  it('accepts only one of the two options', async () => {
    expect((await set({ company_id: 2 }, '--replace', '--same-company')).code).toBe(2);
  });

  it('--replace ends a run in progress, which publishes nothing', async () => {
    const records = portfolioRecords('platform_a');
    const { reading, release } = given.giveHeld(portfolio.customerId, 'platform_a', records);
    const connecting = portfolio.client.post('/connect', { platform: 'platform_a' });
    await reading;
    expect((await set({ company_id: 2 }, '--replace')).code).toBe(0);
    release();
    const { status, body } = await connecting;
    expect({ status, message: body.error.message }).toEqual({
      status: 409,
      message: 'The connection to platform_a leads to another company now',
    });
    expect(await recordsOfA()).toBe(0);
  });
});
