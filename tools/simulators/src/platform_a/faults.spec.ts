import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJsonArray, isJsonObject, stringifyJson, type JsonObject, type JsonValue } from '@app/mapper';
import { generatedPortfolio } from '../portfolio';
import { Caller, listOf, objectOf, type ApiResponse } from '../testing/caller';
import { startPlatformA, type PlatformAOptions, type RunningPlatformA } from '.';

let platform: RunningPlatformA;
let caller: Caller;
async function start(options: PlatformAOptions = {}): Promise<void> {
  platform = await startPlatformA({
    ...options,
    switches: { spikeLimit: 0, hourlyLimit: 0, ...options.switches },
  });
  caller = await new Caller(platform).login();
}
afterEach(async () => {
  await platform.close();
  expect(platform.control.defects).toEqual([]);
});

const vendors = '/rest/v1.0/vendors';
const post = (name: string): Promise<ApiResponse> =>
  caller.call('POST', vendors, { company_id: 77410, vendor: { name } });
const count = async (name: string): Promise<number> =>
  listOf(await caller.get(`${vendors}?company_id=77410&filters[search]=${name}`)).length;

describe('a write that fails', () => {
  beforeEach(() => start());

  it.each([
    ['reset_before', 0],
    ['reset_after', 1],
    ['cut', 1],
  ] as const)('without an answer (%s) has %i effects', async (kind, effects) => {
    platform.control.faults.add({ match: { method: 'POST', path: vendors }, kind });
    await expect(post('Lost')).rejects.toThrow();
    expect(await count('Lost')).toBe(effects);
  });

  it.each([
    [500, true, 1],
    [504, true, 1],
    [503, false, 0],
    [429, false, 0],
  ] as const)('with %i (effect: %s) has %i effects', async (status, effect, effects) => {
    const headers = { 'Retry-After': '3' };
    platform.control.faults.add({ match: { method: 'POST' }, kind: 'status', status, effect, headers });
    const answer = await post('Unsure');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, '3']);
    expect(await count('Unsure')).toBe(effects);
  });

  it('in its answer alone is done', async () => {
    platform.control.faults.add(
      { match: { method: 'POST' }, kind: 'truncate' },
      { match: { method: 'POST', nth: 2 }, kind: 'html', status: 502, effect: true },
    );
    const half = await post('Half');
    expect([half.status, half.headers.get('content-type')]).toEqual([201, 'application/json; charset=utf-8']);
    expect(() => objectOf(half)).toThrow();
    const page = await post('Half');
    expect([page.status, page.text.startsWith('<html>')]).toEqual([502, true]);
    expect(await count('Half')).toBe(2);
  });

  it('meets a foreign edit on its way, set over the control port', async () => {
    const fault = {
      match: { method: 'PATCH', path: '/projects/341276' },
      kind: 'edit',
      edit: 'change_record',
      with: { kind: 'projects', id: 341276, set: { description: 'Theirs' } },
    };
    await fetch(`${platform.controlUrl}/faults`, { method: 'POST', body: JSON.stringify(fault) });
    const answer = await caller.call('PATCH', '/rest/v1.0/projects/341276', {
      company_id: 77410,
      project: { city: 'Doha' },
    });
    expect(objectOf(answer)).toMatchObject({ description: 'Theirs', city: 'Doha' });
    expect(platform.control.faults.isSpent).toBe(true);
  });
});

it('says what it can do and holds on the control port, and nothing that is secret', async () => {
  await start();
  const state: unknown = await (await fetch(`${platform.controlUrl}/state`)).json();
  expect(state).toMatchObject({
    records: { projects: 5, vendors: 4, work_order_contracts: 7, requisitions: 8, contract_payments: 8 },
    edits: { change_record: expect.any(String), expire_tokens: expect.any(String) },
  });
  const log = await (await fetch(`${platform.controlUrl}/requests`)).text();
  expect(log).toContain('/oauth/token');
  expect(log + stringifyJson(state as never)).not.toContain(platform.credentials.client_secret);
  for (const edit of [
    { kind: 'nothing', id: 1 },
    { kind: 'projects', id: 'x' },
    { kind: 'projects', id: 5 },
  ]) {
    expect(() => platform.control.edit('change_record', edit)).toThrow();
  }
});

it('gives its records over the control port, and makes others like them with parts of their own', async () => {
  await start();
  const like = { kind: 'purchase_order_contracts', like: 1946011, set: { number: 'PO-X' }, count: 2 };
  platform.control.edit('insert_record', like);
  const answer = await fetch(`${platform.controlUrl}/state/read_records`, {
    method: 'POST',
    body: JSON.stringify({ kind: 'purchase_order_contracts' }),
  });
  const rows = (await answer.json()) as { id: number; number: string; line_items: { id: number }[] }[];
  expect(rows.filter(({ number }) => number === 'PO-X')).toHaveLength(2);
  const lines = rows.flatMap((row) => row.line_items.map(({ id }) => id));
  expect(new Set(lines).size).toBe(lines.length);
  expect(platform.control.records('purchase_order_contracts')).toHaveLength(rows.length);
});

it('moves what a contract shows as paid with its payments, also over the control port', async () => {
  await start();
  const [first] = platform.control.records('contract_payments');
  const contracts = () =>
    [
      ...platform.control.records('work_order_contracts'),
      ...platform.control.records('purchase_order_contracts'),
    ].map((row) => [row['id'], Number(row['total_payments'])] as const);
  const before = new Map(contracts());
  const of = first?.['contract_id'] ?? null;
  const other = contracts().find(([id]) => id !== of)?.[0] ?? null;
  const moved = () =>
    contracts().flatMap(([id, paid]) => {
      const more = Math.round((paid - (before.get(id) ?? 0)) * 100);
      return more === 0 ? [] : [[id, more]];
    });
  const edit = (name: string, more: JsonObject): JsonValue =>
    platform.control.edit(name, { kind: 'contract_payments', ...more });
  const made = edit('insert_record', { like: first?.['id'] ?? null, set: { amount: '12.50' } });
  expect(moved()).toEqual([[of, 1250]]);
  const id = (isJsonObject(made) && isJsonArray(made['ids']) && made['ids'][0]) || null;
  edit('change_record', { id, set: { amount: '10.25' }, quiet: true });
  expect(moved()).toEqual([[of, 1025]]);
  edit('change_record', { id, set: { contract_id: other } });
  expect(moved()).toEqual([[other, 1025]]);
  edit('delete_record', { id });
  expect(moved()).toEqual([]);
});

describe('a state file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'platform-a-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has records, tokens and hooks after a restart, with IDs that go on', async () => {
    const stateFile = join(folder, 'state.json');
    await start({ stateFile, switches: { bigIds: true } });
    const made = await post('Kept');
    const hook = { api_version: 'v2', namespace: 'x', destination_url: 'http://127.0.0.1:9/' };
    await caller.call('POST', '/rest/v1.0/webhooks/hooks', { company_id: 77410, hook });
    const before = caller;
    await platform.close();

    platform = await startPlatformA({ stateFile, switches: { bigIds: true, spikeLimit: 0, hourlyLimit: 0 } });
    caller = before.on(platform);
    expect(await count('Kept')).toBe(1);
    expect(listOf(await caller.get('/rest/v1.0/webhooks/hooks'))).toHaveLength(1);
    const next = await post('Next');
    const idOf = ({ text }: ApiResponse): string => /"id":(\d+)/.exec(text)?.[1] ?? '';
    expect(BigInt(idOf(next))).toBeGreaterThan(BigInt(idOf(made)));
  });
});

it('holds a generated portfolio of any size, its directories and sums in order', async () => {
  const portfolio = generatedPortfolio({ contracts: 400, seed: 11, bigIds: true }).platform_a;
  await start({ portfolio });
  const contracts = [
    ...platform.control.records('work_order_contracts'),
    ...platform.control.records('purchase_order_contracts'),
  ];
  expect(contracts.length).toBeGreaterThan(350);
  const withVendor = contracts.find(({ vendor }) => vendor !== null);
  const project = withVendor?.['project'];
  const projectId = stringifyJson(Object(project)['id']);
  const directory = await caller.pages(`/rest/v1.1/projects/${projectId}/vendors?per_page=100`);
  const shown = directory.rows.map(({ id }) => stringifyJson(id));
  const vendor = stringifyJson(Object(withVendor?.['vendor'])['id']);
  expect(shown).toContain(vendor);
  platform.control.switches.set('inactiveInDirectories', false);
  const active = await caller.pages(`/rest/v1.1/projects/${projectId}/vendors?per_page=100`);
  const isActive = platform.control
    .records('vendors')
    .some((row) => row['name'] === Object(withVendor?.['vendor'])['company'] && row['is_active'] === true);
  expect(active.rows.map(({ id }) => stringifyJson(id)).includes(vendor)).toBe(isActive);
});
