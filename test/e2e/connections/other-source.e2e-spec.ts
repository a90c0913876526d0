import { Client } from 'pg';
import type { MatchingDecision } from '../../../src/reconciliation/decisions/decisions.response';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { compared } from '../../support/customers/compared';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect, listing } from '../../support/customers/listings';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { keptCommandsOn } from '../cli/run-command';
import { keysSetting, masterKey } from '../credentials/master-keys';
import { readPlatform } from '../../support/platforms/read-platform';

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

  /** Decides about the project 1 of platform_a and the one of platform_b, as Ann. */
  const decide = async (decision: 'link' | 'not_same') => {
    const records = [
      { platform: 'platform_a', platform_id: '1' },
      { platform: 'platform_b', platform_id: TOWER_OF_B },
    ];
    const { status } = await client.post('/reconciliation/decisions', {
      ...{ decision, entity_type: 'project', records },
      ...{ reason: 'Seen on site', decided_by: 'Ann' },
    });
    expect(status).toBe(200);
  };
  /** The decisions of the customer, the latest first. */
  const decisions = async () =>
    (await client.get('/reconciliation/decisions')).body.data.map(
      ({ decision, status, withdrawn, decided_by: by, reason, records }: MatchingDecision) => ({
        ...{ decision, status, by, reason },
        ...(withdrawn === null ? {} : { ended: [withdrawn.by, withdrawn.reason] }),
        objects: records.map((one) => one.canonical_id),
      }),
    );
  /** The events about decisions since the first one, as type, person and objects. */
  const decisionEvents = async () =>
    (await client.get('/events?limit=100')).body.data
      .filter(({ type }: { type: string }) => type.startsWith('decision.'))
      .map(({ type, data }: { type: string; data: { decided_by: string } }) => [type, data.decided_by]);

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
    const readAll = () => readPlatform(service, { customerId, platform: 'platform_a' });
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

  const byAnn = { by: 'Ann', reason: 'Seen on site' };

  it.each(['link', 'not_same'] as const)(
    'meet no decision (%s) about records of the sandbox, and it is made again when the sandbox is read again',
    async (decision) => {
      const isLink = decision === 'link';
      const ofSandbox = [1, isLink ? 'HARBOUR' : 'TOWER'] as const;
      const ofCompany = [1, isLink ? 'QUARRY' : 'TOWER'] as const;
      await read(ofSandbox);
      await decide(decision);
      const joined = async () => Object.values(await objects())[0] === (await tower());
      expect(await joined()).toBe(isLink);
      await set();
      await read(ofCompany);
      expect(await joined()).toBe(!isLink);
      const ended = ['the service', 'platform_a itself is read now, and no longer its sandbox'];
      expect(await decisions()).toEqual([
        { decision, status: 'withdrawn', ...byAnn, ended, objects: [null, null] },
      ]);
      await json('connections', 'remove', ...of());
      await read(ofSandbox);
      expect(await joined()).toBe(isLink);
      expect(await decisions()).toMatchObject([
        { decision, status: 'standing', ...byAnn, objects: [expect.any(String), await tower()] },
        { decision, status: 'withdrawn', ended },
      ]);
      expect(await decisionEvents()).toEqual([
        ['decision.made', 'Ann'],
        ['decision.withdrawn', 'the service'],
        ['decision.made', 'Ann'],
      ]);
    },
  );

  it('meet no decision about records that --replace removed, and it is made again for the company', async () => {
    await set();
    await read([1, 'HARBOUR']);
    await decide('link');
    await set({ company_id: 2 }, '--replace');
    const ended = ['the service', 'the connection to platform_a leads to another company now'];
    expect(await decisions()).toMatchObject([{ status: 'withdrawn', ended }]);
    await read([1, 'QUARRY']);
    expect(await objects()).not.toMatchObject({ QUARRY: await tower() });
    await set({}, '--replace');
    await read([1, 'HARBOUR']);
    expect(await objects()).toEqual({ HARBOUR: await tower() });
    expect(await decisions()).toMatchObject([{ status: 'standing', ...byAnn }, { status: 'withdrawn' }]);
  });

  it('meet the decision about a company that has another address since', async () => {
    await set();
    await read([1, 'HARBOUR']);
    await decide('link');
    await json('connections', 'remove', ...of());
    await read([77, 'SANDBOX']);
    await set();
    await read([1, 'HARBOUR']);
    await set({ api_url: 'https://moved.example' }, '--same-company');
    await read([1, 'HARBOUR']);
    await json('connections', 'remove', ...of());
    await read([77, 'SANDBOX']);
    await set({ api_url: 'https://moved.example' });
    await read([1, 'HARBOUR']);
    expect(await objects()).toEqual({ HARBOUR: await tower() });
    expect(await decisions()).toMatchObject([
      { status: 'standing', ...byAnn },
      { status: 'withdrawn' },
      { status: 'withdrawn' },
    ]);
  });

  it('show the records of no other source in decisions that ended, and the one that stands as what links them', async () => {
    await read([1, 'HARBOUR']);
    await decide('link');
    await set();
    await read([9, 'QUARRY']);
    await json('connections', 'remove', ...of());
    await read([1, 'HARBOUR']);
    const id = (await tower()) ?? '';
    const { body } = await client.get(`/objects/${id}`);
    const [standing] = (await client.get('/reconciliation/decisions?status=standing')).body.data;
    expect(body.data.evidence).toMatchObject([
      { rule: 'decision', by: { decision_id: standing.id, decided_by: 'Ann' } },
    ]);
    await set();
    await read([1, 'QUARRY']);
    expect(await decisions()).toMatchObject([
      { status: 'withdrawn', objects: [null, null] },
      { status: 'withdrawn', objects: [null, null] },
    ]);
  });

  it('meet no decision that a person withdrew while another source was read', async () => {
    await read([1, 'HARBOUR']);
    await decide('link');
    const [made] = (await client.get('/reconciliation/decisions')).body.data;
    await client.send('DELETE', `/reconciliation/decisions/${made.id}`, {
      body: { reason: 'No', decided_by: 'Ben' },
    });
    await set();
    await read([1, 'QUARRY']);
    await json('connections', 'remove', ...of());
    await read([1, 'HARBOUR']);
    expect(await decisions()).toMatchObject([{ status: 'withdrawn', ended: ['Ben', 'No'] }]);
    expect(await objects()).not.toMatchObject({ HARBOUR: await tower() });
  });

  it('meet no decision that a person withdrew after the service, while another source was read', async () => {
    await read([1, 'HARBOUR']);
    await decide('link');
    await set();
    await read([1, 'QUARRY']);
    const [ended] = (await client.get('/reconciliation/decisions')).body.data;
    const takeBack = (more: object = {}) =>
      client.send('DELETE', `/reconciliation/decisions/${ended.id}`, {
        body: { reason: 'No', decided_by: 'Ben', ...more },
      });
    expect((await takeBack({ dry_run: true })).body.data).toMatchObject({ withdrawn: { by: 'Ben' } });
    expect(await decisions()).toMatchObject([{ ended: ['the service', expect.any(String)] }]);
    expect((await takeBack()).body.data).toMatchObject({
      status: 'withdrawn',
      effects: { records_total: 0 },
    });
    const told = (await client.get('/events?type=decision.withdrawn')).body.data.at(-1);
    const [listed] = (await client.get('/reconciliation/decisions')).body.data;
    expect(listed.withdrawn).toEqual({ by: 'Ben', reason: 'No', at: `${told.at.slice(0, 23)}Z` });
    // The same again, by another person, changes nothing.
    expect((await takeBack({ decided_by: 'Joe' })).body.data).toMatchObject(listed);
    await json('connections', 'remove', ...of());
    await read([1, 'HARBOUR']);
    expect(await objects()).not.toMatchObject({ HARBOUR: await tower() });
    expect(await decisions()).toMatchObject([
      { status: 'withdrawn', ended: ['Ben', 'No'], objects: [null, null] },
    ]);
    expect(await decisionEvents()).toEqual([
      ['decision.made', 'Ann'],
      ['decision.withdrawn', 'the service'],
      ['decision.withdrawn', 'Ben'],
    ]);
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
