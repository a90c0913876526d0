import type { AddressedRecord } from '../../../src/platforms/connector';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { StoredRecords } from '../../support/database/stored-records';
import { keptCommandsOn } from '../cli/run-command';
import { keysSetting, masterKey } from '../credentials/master-keys';

jest.setTimeout(60_000);

const key = masterKey('first');
const settings = {
  login_url: 'https://login.example',
  api_url: 'https://api.example',
  client_id: 'client',
  client_secret: 'hunter2',
};
type Body = ReturnType<typeof JSON.parse>;

/** A platform whose records have addresses. */
class AddressedPlatform extends MovingPlatform {
  override readonly addresses =
    ({ company_id: company }: Readonly<Record<string, unknown>>) =>
    ({ platformId }: AddressedRecord): string =>
      `https://api.example/${String(company)}/${platformId}`;
}

describe('the links of cases about records of a former source', () => {
  const given = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  const { piped } = keptCommandsOn(() => service.databaseUrl, { CREDENTIALS_KEYS: keysSetting(key) });
  beforeAll(async () => {
    service = await startApp({ credentialsKeys: [key], syncIntervalMs: 0 }, [], given);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  async function open() {
    const { key: apiKey, customerId } = await service.issueKey('live');
    const client = api(service.url, apiKey);
    const set = async (company: number, ...args: string[]) => {
      const text = JSON.stringify({ ...settings, company_id: company });
      const names = ['--customer', customerId, '--platform', 'platform_a'];
      expect(await piped(text, 'connections', 'set', ...names, ...args)).toMatchObject({ code: 0 });
    };
    const read = async (...ids: readonly number[]) => {
      const projects = ids.map((id) => record('project', { id, project_number: `N${id}`, name: `N${id}` }));
      given.use(customerId, 'platform_a', new AddressedPlatform(projects));
      await connect(client, 'platform_a');
    };
    /** The links of a list by label. */
    const links = async (query = ''): Promise<Record<string, string | null>> => {
      const { status, body } = await client.get(`/reconciliation/cases?${query}`);
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      return Object.fromEntries(body.data.map((one: Body) => [one.label, one.links.platform_a]));
    };
    const now = async (): Promise<string> => (await client.get('/reconciliation')).body.data.as_of;
    return { client, customerId, set, read, links, now };
  }

  it('lead to no record of the company that has replaced the sandbox', async () => {
    const { set, read, links, now } = await open();
    await read(1, 2);
    expect(await links()).toEqual({ 'N1 N1': null, 'N2 N2': null });
    const asOf = await now();
    await set(7);
    await read(2, 3);
    const present = { 'N2 N2': 'https://api.example/7/2', 'N3 N3': 'https://api.example/7/3' };
    expect(await links()).toEqual(present);
    expect(await links('state=closed')).toEqual({ 'N1 N1': null });
    expect(await links(`as_of=${asOf}`)).toEqual({ 'N1 N1': null, 'N2 N2': null });
    expect(await links(`as_of=${await now()}`)).toEqual(present);
  });

  it('are told by the first run of the company, which is kept though later ones had the same result', async () => {
    const { customerId, set, read } = await open();
    await read(1);
    await set(7);
    const runs = async (): Promise<string[]> => {
      const rows = await stored.query<{ id: string }>(
        `select id from sync_runs where customer_id = $1 and mode = 'live' order by started_at`,
        [customerId],
      );
      return rows.map(({ id }) => id);
    };
    await read(1);
    const [first] = await runs();
    for (let round = 0; round < 3; round += 1) {
      await stored.query(
        `update sync_runs set started_at = started_at - interval '2 days', ended_at = ended_at - interval '2 days'
         where customer_id = $1`,
        [customerId],
      );
      await read(1);
    }
    const left = await runs();
    expect(left[0]).toBe(first);
    expect(left.length).toBeLessThan(4);
  });

  it('lead to no record of the company that has replaced another one', async () => {
    const { client, set, read, links } = await open();
    await set(7);
    await read(1, 2);
    const { body } = await client.get('/reconciliation/cases');
    expect(await links()).toEqual({ 'N1 N1': 'https://api.example/7/1', 'N2 N2': 'https://api.example/7/2' });
    await set(8, '--replace');
    await links();
    await read(3);
    expect(await links()).toEqual({ 'N3 N3': 'https://api.example/8/3' });
    expect(await links('state=closed')).toEqual({ 'N1 N1': null, 'N2 N2': null });
    const [{ id }] = body.data;
    expect((await client.get(`/reconciliation/cases/${id}`)).body.data).toMatchObject({
      state: 'closed',
      links: { platform_a: null },
    });
  });
});
