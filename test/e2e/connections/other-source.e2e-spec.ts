import { Client } from 'pg';
import { SyncService } from '../../../src/sync/sync.service';
import { api } from '../../support/api';
import { startApp, type RunningApp } from '../../support/app';
import { compared } from '../../support/compared';
import { GivenRecords, record } from '../../support/given-records';
import { connect, listing } from '../../support/listings';
import { MovingPlatform } from '../../support/moving-platform';
import { keptCommandsOn } from '../cli/run-command';
import { keysSetting, masterKey } from '../credentials/master-keys';

jest.setTimeout(60_000);

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
const project = (id: number, number: string) =>
  record('project', { id, project_number: number, name: number });
const TOWER_OF_B = '11111111-1111-4111-8111-111111111111';
const portfolioOfB = [record('project', { id: TOWER_OF_B, number: 'TOWER', displayName: 'TOWER' })];

describe('records with the native IDs of records of another source', () => {
  const given = new GivenRecords();
  let service: RunningApp;
  let database: Client;
  let customerId: string;
  let client: ReturnType<typeof api>;
  const { json, piped } = keptCommandsOn(() => service.databaseUrl, { CREDENTIALS_KEYS: keysSetting(key) });
  beforeAll(async () => {
    service = await startApp({ credentialsKeys: [key], syncIntervalMs: 0 }, [], given);
    database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
  });
  afterAll(async () => {
    await database.end();
    await service.close();
  });
  const of = () => ['--customer', customerId, '--platform', 'platform_a'];
  const set = async (over: object = {}, ...args: string[]) =>
    expect(await piped(textOf(over), 'connections', 'set', ...of(), ...args)).toMatchObject({ code: 0 });
  /** Gives platform_a other projects, and connects it. */
  async function read(...projects: (readonly [id: number, number: string])[]) {
    const platform = new MovingPlatform(projects.map(([id, number]) => project(id, number)));
    given.use(customerId, 'platform_a', platform);
    await connect(client, 'platform_a');
    return platform;
  }
  /** The objects of platform_a's projects by number. */
  const objects = async () =>
    Object.fromEntries(
      (await listing(client, 'platform_a', 'project')).map(({ canonical_id: id, data }) => [data.number, id]),
    );
  const tower = async () => (await listing(client, 'platform_b', 'project'))[0]?.canonical_id;
  const deleted = async () =>
    (await database.query('select platform_id from deleted_records where customer_id = $1', [customerId]))
      .rows;

  /** A customer whose platform_b has the project TOWER. */
  beforeEach(async () => {
    const caller = await service.issueKey('live');
    ({ customerId } = caller);
    client = api(service.url, caller.key);
    given.use(customerId, 'platform_b', new MovingPlatform(portfolioOfB));
    await connect(client, 'platform_b');
  });

  it.each(['a sandbox that becomes live', 'a live platform that becomes a sandbox'])(
    'get no link from %s',
    async (what) => {
      const becomesLive = what.startsWith('a sandbox');
      if (!becomesLive) await set();
      await read([1, 'TOWER'], [2, 'SAME']);
      if (becomesLive) await set();
      else await json('connections', 'remove', ...of());
      // The second record is one that nothing tells from the former one.
      await read([1, 'HARBOUR'], [2, 'SAME']);
      const { HARBOUR: harbour, ...others } = await objects();
      expect(Object.keys(others)).toEqual(['SAME']);
      expect(harbour).not.toBe(await tower());
    },
  );

  it('get no link from a company that was read before the sandbox', async () => {
    await set();
    await read([1, 'TOWER']);
    expect(await objects()).toEqual({ TOWER: await tower() });
    await json('connections', 'remove', ...of());
    await read([77, 'SANDBOX']);
    await set({ company_id: 2 });
    await read([1, 'HARBOUR']);
    expect(Object.keys(await objects())).toEqual(['HARBOUR']);
    expect(await objects()).not.toMatchObject({ HARBOUR: await tower() });
  });

  it('get no link from records that were deleted when their source was not kept', async () => {
    await set();
    await read([1, 'TOWER']);
    await json('connections', 'remove', ...of());
    await read([77, 'SANDBOX']);
    await database.query('update deleted_records set source = null where customer_id = $1', [customerId]);
    await set();
    await read([1, 'HARBOUR']);
    expect(await objects()).not.toMatchObject({ HARBOUR: await tower() });
  });

  it('do not keep a change from creating the record that only the sandbox had', async () => {
    await read([1, 'TOWER']);
    await set();
    await read([2, 'HARBOUR']);
    const change = {
      format: 'platform',
      platform: 'platform_b',
      entity_type: 'project',
      platform_id: TOWER_OF_B,
    };
    const { body } = await client.post('/propagate', {
      ...change,
      data: { displayName: 'Tower' },
      dry_run: true,
    });
    expect(body.data.propagated.platform_a).toMatchObject({ created: true });
  });

  it('return to their objects where the company is the same again', async () => {
    await set();
    await read([1, 'TOWER'], [3, 'ALONE']);
    const before = await objects();
    await json('connections', 'remove', ...of());
    await read([77, 'SANDBOX']);
    await set({ client_secret: 'another' });
    await read([1, 'TOWER'], [3, 'ALONE']);
    expect(await objects()).toEqual(before);
  });

  it('return to their objects where the company has another address since', async () => {
    const moved = { api_url: 'https://moved.example' };
    const readAll = () =>
      service.app
        .get(SyncService, { strict: false })
        .complete(
          { customerId, platform: 'platform_a' },
          { whole: true, acceptDeletions: true },
          () => undefined,
        );
    await set();
    const platform = await read([1, 'TOWER'], [3, 'ALONE']);
    const before = await objects();
    platform.remove('project', '3');
    await readAll();
    expect(await deleted()).toEqual([{ platform_id: '3' }]);
    await set(moved, '--same-company');
    platform.put(project(3, 'ALONE'));
    await readAll();
    expect(await objects()).toEqual(before);
  });

  it('are removed by --purge also after the sandbox has replaced them', async () => {
    await set();
    await read([1, 'TOWER']);
    await json('connections', 'remove', ...of());
    await read([77, 'SANDBOX']);
    expect(await piped('', 'connections', 'remove', ...of(), '--purge')).toMatchObject({
      code: 1,
      err: expect.stringContaining('do not include the last reading yet'),
    });
    await compared(client);
    expect(await json('connections', 'remove', ...of(), '--purge')).toMatchObject({ records_removed: 1 });
    expect((await client.get('/reconciliation/cases')).body.data).toHaveLength(2);
    expect(await deleted()).toEqual([]);
    expect(Object.keys(await objects())).toEqual(['SANDBOX']);
    expect((await piped('', 'connections', 'remove', ...of(), '--purge')).code).toBe(1);
  });
});
