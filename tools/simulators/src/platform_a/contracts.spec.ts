import { isJsonArray, isJsonObject, stringifyJson, type JsonObject } from '@app/mapper';
import { Caller, jsonOf, listOf, objectOf, type ApiResponse } from '../testing/caller';
import { objectAt, objectsIn } from './totals';
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
beforeEach(() => start());
afterEach(async () => {
  await platform.close();
  expect(platform.control.defects).toEqual([]);
});

const id = (record: JsonObject): string => stringifyJson(record['id']);
const errorsOf = (answer: ApiResponse): unknown => objectOf(answer)['errors'];
const PROJECT = 341276;
const CONTRACT = 1945782;
const path = '/rest/v1.0/work_order_contracts';
const show = async (contract: string | number = CONTRACT): Promise<JsonObject> =>
  objectOf(await caller.get(`${path}/${contract}?project_id=${PROJECT}`));
const create = (contract: JsonObject): Promise<ApiResponse> =>
  caller.call('POST', path, { project_id: PROJECT, work_order_contract: contract });
const update = (contract: JsonObject, of: string | number = CONTRACT): Promise<ApiResponse> =>
  caller.call('PATCH', `${path}/${of}`, { project_id: PROJECT, work_order_contract: contract });

/** The vendor's ID in the directory of the project. */
async function vendorNamed(name: string): Promise<JsonObject> {
  const rows = listOf(await caller.get(`/rest/v1.1/projects/${PROJECT}/vendors`));
  const row = rows.find((candidate) => candidate['name'] === name);
  if (row === undefined) throw new Error(`No ${name}`);
  return row;
}

describe('the currency of a contract', () => {
  it('is that of the company, unless that uses several', async () => {
    const { currency_configuration: usual } = objectOf(await create({ currency_iso_code: 'QAR' }));
    expect(usual).toMatchObject({ currency_iso_code: 'USD' });
    const configuration = '/rest/v1.0/companies/77410/currency_configuration';
    expect(objectOf(await caller.get(configuration))).toMatchObject({
      currency_iso_code: 'USD',
      multicurrency_enabled: false,
    });
    platform.control.switches.set('multiCurrency', true);
    const { currency_configuration: own } = objectOf(
      await create({ currency_iso_code: 'QAR', currency_exchange_rate: '3.64' }),
    );
    expect(own).toMatchObject({ currency_iso_code: 'QAR', currency_exchange_rate: '3.64' });
    expect(objectOf(await caller.get(configuration))).toMatchObject({ multicurrency_enabled: true });
  });
});

describe('projects', () => {
  it('are created and changed by what may be written; the rest is passed over', async () => {
    const project = {
      name: 'New Tower',
      project_number: 'NEW-1',
      total_value: 1000.5,
      id: 5,
      code: 'C',
      county: 'X',
    };
    const created = await caller.call('POST', '/rest/v1.0/projects', { company_id: 77410, project });
    expect(created.status).toBe(201);
    const record = objectOf(created);
    expect(record).toMatchObject({
      display_name: 'NEW-1 New Tower',
      total_value: '1000.5',
      code: 'C',
      county: null,
      active: true,
    });
    const body = { company_id: 77410, project: { code: 'D', county: 'Y', project_stage_id: 32 } };
    const changed = objectOf(await caller.call('PATCH', `/rest/v1.0/projects/${id(record)}`, body));
    expect(changed).toMatchObject({ code: 'C', county: 'Y', project_stage: { name: 'Post-Construction' } });
    expect(changed).not.toHaveProperty('stage');
  });

  it('may share a number, unless they may not', async () => {
    const body = (number: string | null): JsonObject => ({
      company_id: 77410,
      project: { name: 'Again', project_number: number },
    });
    const create = async (number: string | null) =>
      (await caller.call('POST', '/rest/v1.0/projects', body(number))).status;
    expect([await create('NEW-2'), await create('NEW-2')]).toEqual([201, 201]);
    platform.control.switches.set('uniqueProjectNumbers', true);
    expect([await create('NEW-2'), await create('NEW-3'), await create(null)]).toEqual([422, 201, 201]);
  });

  it('need a name and their key in the body', async () => {
    const nameless = await caller.call('POST', '/rest/v1.0/projects', { company_id: 77410, project: {} });
    expect([nameless.status, errorsOf(nameless)]).toEqual([422, { name: ["can't be blank"] }]);
    expect((await caller.call('POST', '/rest/v1.0/projects', { company_id: 77410, name: 'X' })).status).toBe(
      400,
    );
    expect((await caller.call('POST', '/rest/v1.0/projects', '{')).status).toBe(400);
    const unfit = { company_id: 77410, project: { start_date: '31.12.2026', flag: 'Blue' } };
    const refused = await caller.call('PATCH', `/rest/v1.0/projects/${PROJECT}`, unfit);
    expect([refused.status, errorsOf(refused)]).toEqual([
      422,
      { start_date: ['is invalid'], flag: ['is invalid'] },
    ]);
  });

  it('may refuse fields that they do not know, and let null be', async () => {
    platform.control.switches.setAll({ unknownFields: 'refused', nullClears: false });
    const of = (project: JsonObject): Promise<ApiResponse> =>
      caller.call('PATCH', `/rest/v1.0/projects/${PROJECT}`, { company_id: 77410, project });
    expect((await of({ colour: 'red' })).status).toBe(406);
    expect((await of({ id: 7 })).status).toBe(200);
    expect(objectOf(await of({ description: null }))['description']).not.toBeNull();
    platform.control.switches.set('nullClears', true);
    expect(objectOf(await of({ description: null }))['description']).toBeNull();
  });
});

describe('vendors', () => {
  const change = (vendor: JsonObject): Promise<ApiResponse> =>
    caller.call('PATCH', '/rest/v1.0/vendors/501004', { company_id: 77410, vendor });

  it('need their name with each change', async () => {
    const refused = await change({ city: 'Doha' });
    expect([refused.status, errorsOf(refused)]).toEqual([422, { name: ["can't be blank"] }]);
    const changed = await change({ name: 'Doha Partners', city: 'Lusail', legal_name: 'Other' });
    expect(objectOf(changed)).toMatchObject({
      name: 'Doha Partners',
      company: 'Doha Partners',
      city: 'Lusail',
    });
    expect(objectOf(changed)['legal_name']).not.toBe('Other');
  });

  it('have one tax number', async () => {
    const register = '/rest/v1.0/vendors/501004/business_register';
    expect((await caller.call('POST', register, { type: 'ein', identifier: '1' })).status).toBe(409);
    expect((await caller.call('PATCH', register, { identifier: '12-3' })).status).toBe(200);
    const made = await caller.call('POST', '/rest/v1.0/vendors', {
      company_id: 77410,
      vendor: { name: 'New' },
    });
    const other = `/rest/v1.0/vendors/${id(objectOf(made))}/business_register`;
    expect((await caller.call('POST', other, { type: 'vat', identifier: '1' })).status).toBe(422);
    expect((await caller.call('POST', other, { type: 'abn', identifier: '1' })).status).toBe(201);
  });

  it('are two records when they are posted twice', async () => {
    const body = { company_id: 77410, vendor: { name: 'Twice' } };
    const [one, two] = [
      await caller.call('POST', '/rest/v1.0/vendors', body),
      await caller.call('POST', '/rest/v1.0/vendors', body, { 'idempotency-token': 'same' }),
    ];
    expect(id(objectOf(one))).not.toBe(id(objectOf(two)));
  });

  it('may be one where the platform knows a token again', async () => {
    platform.control.switches.set('idempotencyTokens', 'kept');
    const post = async (name: string, token: string) => {
      const body = { company_id: 77410, vendor: { name } };
      return id(
        objectOf(await caller.call('POST', '/rest/v1.0/vendors', body, { 'idempotency-token': token })),
      );
    };
    const one = await post('Once', 'same');
    expect(await post('Once', 'same')).toBe(one);
    expect(await post('Once', 'another')).not.toBe(one);
    expect(await post('Once', '')).not.toBe(await post('Once', ''));
  });

  it('have an ID of their own in each project, by which the company does not know them', async () => {
    const row = await vendorNamed('Doha Infrastructure Partners WLL');
    expect(id(row)).not.toBe('501004');
    expect(stringifyJson(row)).not.toContain('501004');
    expect((await caller.get(`/rest/v1.0/vendors/${id(row)}?company_id=77410`)).status).toBe(404);
    await platform.close();
    await start({ switches: { projectVendorIds: 'company' } });
    expect(id(await vendorNamed('Doha Infrastructure Partners WLL'))).toBe('501004');
  });

  it('come into a project by their ID in the company, once, and leave by their ID there', async () => {
    const directory = `/rest/v1.1/projects/${PROJECT}/vendors`;
    const added = await caller.call('POST', `${directory}/501023/actions/add`);
    expect([added.status, objectOf(added)['name']]).toEqual([201, 'Al Rayyan MEP Services WLL']);
    expect(id(objectOf(await caller.call('POST', `${directory}/501023/actions/add`)))).toBe(
      id(objectOf(added)),
    );
    expect((await caller.call('DELETE', `${directory}/501023/actions/remove`)).status).toBe(404);
    expect((await caller.call('DELETE', `${directory}/${id(objectOf(added))}/actions/remove`)).status).toBe(
      204,
    );
    expect(stringifyJson(jsonOf(await caller.get(directory)))).not.toContain('Al Rayyan');
    const made = await caller.call('POST', directory, { vendor: { name: 'Made here' } });
    expect(made.status).toBe(201);
    const inCompany = await caller.get('/rest/v1.0/vendors?company_id=77410&filters[search]=made here');
    expect(listOf(inCompany)).toHaveLength(1);
  });
});

describe('contracts', () => {
  it('start as drafts with the next number', async () => {
    const created = await create({});
    expect(created.status).toBe(201);
    expect(objectOf(created)).toMatchObject({
      status: 'Draft',
      number: 'SC-LEX-001-001',
      grand_total: '0.0',
      vendor: null,
    });
    expect(objectOf(await create({}))['number']).toBe('SC-LEX-001-002');
    expect((await caller.call('POST', path, { project_id: PROJECT, title: 'No key' })).status).toBe(400);
  });

  it('know vendors by their ID in the project alone', async () => {
    const refused = await create({ vendor_id: 501004 });
    expect([refused.status, errorsOf(refused)]).toEqual([
      422,
      { vendor_id: ['has not been added to this project'] },
    ]);
    const vendor = await vendorNamed('Doha Infrastructure Partners WLL');
    const contract = objectOf(await create({ vendor_id: vendor['id'] ?? null, status: 'Approved' }));
    expect(contract['vendor']).toMatchObject({ id: vendor['id'], company: vendor['name'] });
    const other = await caller.call('PATCH', `/rest/v1.0/work_order_contracts/1945790`, {
      project_id: 341289,
      work_order_contract: { vendor_id: vendor['id'] ?? null },
    });
    expect(other.status).toBe(422);
  });

  it('need a vendor unless they are drafts, and a status of their kind', async () => {
    const refused = await create({ status: 'Approved' });
    expect(errorsOf(refused)).toEqual({
      vendor_id: ["must be selected when the contract's status is not draft"],
    });
    expect((await update({ status: 'Processing' })).status).toBe(422);
    expect((await update({ vendor_id: null })).status).toBe(422);
  });

  it('pass over totals, and are in their project alone', async () => {
    const changed = objectOf(await update({ title: 'New', grand_total: '1.0', project: { id: 1 } }));
    expect(changed).toMatchObject({ title: 'New', grand_total: '8500000.00', project: { id: PROJECT } });
    expect((await caller.get(`${path}/${CONTRACT}?project_id=341289`)).status).toBe(404);
    expect(
      (await caller.get(`/rest/v1.0/purchase_order_contracts/${CONTRACT}?project_id=${PROJECT}`)).status,
    ).toBe(404);
  });

  it('are deleted softly, with nothing in the answer', async () => {
    const gone = await caller.call('DELETE', `${path}/${CONTRACT}?project_id=${PROJECT}`);
    expect([gone.status, gone.text]).toEqual([200, '']);
    expect((await caller.get(`${path}/${CONTRACT}?project_id=${PROJECT}`)).status).toBe(404);
    const list = async (included: string): Promise<readonly string[]> =>
      listOf(await caller.get(`${path}?project_id=${PROJECT}${included}`)).map(id);
    expect(await list('')).not.toContain(String(CONTRACT));
    expect(await list('&filters[include_deleted]=only')).toEqual([String(CONTRACT)]);
    expect(await list('&filters[include_deleted]=with')).toContain(String(CONTRACT));
    expect((await update({ title: 'Late' })).status).toBe(404);
    platform.control.switches.set('deletedContractShow', 200);
    expect((await show())['deleted_at']).toEqual(expect.any(String));
  });

  it('may share a number, unless they may not', async () => {
    expect((await create({ number: 'C-LEX-001' })).status).toBe(201);
    platform.control.switches.set('uniqueContractNumbers', true);
    expect((await create({ number: 'C-LEX-001' })).status).toBe(422);
  });

  it('are locked while approved, if the company says so, or by a test', async () => {
    platform.control.switches.set('lockApprovedContracts', true);
    const [line] = objectsIn(await show(), 'line_items');
    const lines = `${path}/${CONTRACT}/line_items`;
    const item = { project_id: PROJECT, line_item: { unit_cost: '1.0' } };
    expect((await caller.call('PATCH', `${lines}/${id(line ?? {})}`, item)).status).toBe(422);
    expect((await caller.call('POST', lines, item)).status).toBe(422);
    expect((await caller.call('DELETE', `${path}/${CONTRACT}?project_id=${PROJECT}`)).status).toBe(422);
    expect(
      (await update({ vendor_id: (await vendorNamed('Creekside Facade Systems LLC'))['id'] ?? null })).status,
    ).toBe(422);
    expect((await update({ title: 'Still' })).status).toBe(200);
    platform.control.edit('lock_record', { kind: 'work_order_contracts', id: CONTRACT });
    expect((await update({ title: 'No more' })).status).toBe(422);
  });

  it('keep IDs beyond 2^53 whole', async () => {
    platform.control.switches.set('bigIds', true);
    const created = await create({ title: 'Big' });
    const [, big = ''] = /"id":(\d+),"number"/.exec(created.text) ?? [];
    expect(BigInt(big)).toBeGreaterThan(2n ** 53n);
    expect(Number(big).toString()).not.toBe(big);
    expect((await show(big))['title']).toBe('Big');
  });

  it('show foreign edits, with and without a later time', async () => {
    const before = await show();
    const set = { title: 'Theirs' };
    platform.control.edit('change_record', { kind: 'work_order_contracts', id: CONTRACT, set, quiet: true });
    expect(await show()).toMatchObject({ title: 'Theirs', updated_at: before['updated_at'] });
    platform.control.edit('change_line', { contract_id: CONTRACT, set: { amount: '9000000.0' } });
    const after = await show();
    expect(after['grand_total']).toBe('9000000.0');
    expect(after['updated_at']).not.toBe(before['updated_at']);
  });
});

describe('lines', () => {
  const lines = `${path}/${CONTRACT}/line_items`;
  const add = (line: JsonObject): Promise<ApiResponse> =>
    caller.call('POST', lines, { project_id: PROJECT, line_item: line });

  it('are what a contract is worth', async () => {
    const added = await add({ amount: '1500.25', description: 'More' });
    expect([added.status, objectOf(added)['extended_type']]).toEqual([201, 'manual']);
    expect(await show()).toMatchObject({
      grand_total: '8501500.25',
      revised_contract: '8501500.25',
      remaining_balance_outstanding: '6801500.25',
    });
    const line = `${lines}/${id(objectOf(added))}`;
    await caller.call('PATCH', line, { project_id: PROJECT, line_item: { amount: '0.75' } });
    expect((await show())['grand_total']).toBe('8500000.75');
    const gone = await caller.call('DELETE', `${line}?project_id=${PROJECT}`);
    expect([gone.status, gone.text]).toEqual([200, '']);
    expect((await show())['grand_total']).toBe('8500000.00');
    expect(listOf(await caller.get(`${lines}?project_id=${PROJECT}`))).toHaveLength(1);
  });

  it('are quantity times unit cost where they are calculated', async () => {
    const [line] = objectsIn(await show(), 'line_items');
    const change = async (item: JsonObject): Promise<unknown> => {
      const answer = await caller.call('PATCH', `${lines}/${id(line ?? {})}`, {
        project_id: PROJECT,
        line_item: item,
      });
      return objectOf(answer)['amount'];
    };
    expect(await change({ amount: '5.0' })).toBe('8500000.000');
    expect(await change({ quantity: '2.5', unit_cost: '10.01' })).toBe('25.025');
    expect(await change({ extended_type: 'manual', amount: '7.0' })).toBe('7.0');
    platform.control.switches.set('calculatedLines', 'as_sent');
    expect(await change({ extended_type: 'calculated', amount: '8.0' })).toBe('8.0');
    expect((await show())['grand_total']).toBe('8.0');
  });

  it('move the time of their contract, or do not', async () => {
    const before = (await show())['updated_at'];
    platform.control.switches.set('linesTouchContract', false);
    await add({ amount: '1.0' });
    expect((await show())['updated_at']).toBe(before);
    platform.control.switches.set('linesTouchContract', true);
    await add({ amount: '1.0' });
    expect((await show())['updated_at']).not.toBe(before);
  });
});

describe('a sync', () => {
  const sync = async (updates: readonly JsonObject[]): Promise<JsonObject> => {
    const answer = await caller.call('PATCH', '/rest/v1.0/vendors/sync', { company_id: 77410, updates });
    expect(answer.status).toBe(200);
    return objectOf(answer);
  };
  const names = (result: JsonObject): unknown[] =>
    isJsonArray(result['entities'])
      ? result['entities'].map((entity) => isJsonObject(entity) && entity['name'])
      : [];

  it('creates, updates and refuses one by one, and succeeds whatever comes of it', async () => {
    const first = await sync([{ name: 'Neither' }, { origin_id: 'ACC-1', name: 'By origin' }]);
    expect(names(first)).toEqual(['By origin', 'Neither']);
    const second = await sync([
      { name: 'Neither' },
      { origin_id: 'ACC-1', name: 'By origin again' },
      { id: 501004, origin_id: 'ACC-2', name: 'Both' },
      { id: 0, name: 'x' },
      { origin_id: 'ACC-3', name: '' },
      { id: 501011, origin_id: 'ACC-1' },
    ]);
    expect(names(second)).toEqual(['Both', 'By origin again', 'Neither']);
    expect(second['errors']).toEqual([
      { id: 0, name: 'x', errors: { id: ['Entity with this ID not found'] } },
      { origin_id: 'ACC-3', name: '', errors: { name: ["can't be blank"] } },
      { id: 501011, origin_id: 'ACC-1', errors: { origin_id: ['has already been taken'] } },
    ]);
    const all = listOf(await caller.get('/rest/v1.0/vendors?company_id=77410'));
    expect(all.filter(({ name }) => name === 'Neither')).toHaveLength(2);
    expect(all.filter(({ origin_id: origin }) => origin === 'ACC-1')).toHaveLength(1);
    platform.control.switches.set('syncOrder', 'as_sent');
    expect(names(await sync([{ name: 'One' }, { name: 'Two' }]))).toEqual(['One', 'Two']);
  });

  it('takes a thousand at most', async () => {
    const updates = Array.from({ length: 1001 }, (_, index) => ({ name: `V${index}` }));
    const answer = await caller.call('PATCH', '/rest/v1.0/vendors/sync', { company_id: 77410, updates });
    expect(answer.status).toBe(400);
    const lines = `${path}/${CONTRACT}/line_items/sync?project_id=${PROJECT}`;
    expect((await caller.call('PATCH', lines, { updates })).status).toBe(413);
  });

  it('is there for projects, contracts and lines as well', async () => {
    const of = async (where: string, body: JsonObject): Promise<readonly JsonObject[]> =>
      objectsIn(objectOf(await caller.call('PATCH', where, body)), 'entities');
    expect(
      await of('/rest/v1.0/projects/sync', { company_id: 77410, updates: [{ id: PROJECT, name: 'P' }] }),
    ).toHaveLength(1);
    expect(
      await of(`${path}/sync`, { project_id: PROJECT, updates: [{ origin_id: 'C-1', title: 'C' }] }),
    ).toHaveLength(1);
    const updates = [
      { amount: '1.0', origin_id: 'L-1' },
      { amount: '2.0', origin_id: 'L-1' },
    ];
    expect(await of(`${path}/${CONTRACT}/line_items/sync?project_id=${PROJECT}`, { updates })).toHaveLength(
      2,
    );
    const contract = await show();
    expect(contract['grand_total']).toBe('8500002.00');
    expect(objectAt(contract, 'project')['id']).toBe(PROJECT);
  });
});
