import type { JsonObject } from '@app/mapper';
import { Caller, listOf, objectOf } from '../testing/caller';
import { startPlatformA, type RunningPlatformA } from '.';

const COMPANY = '77410';
const PROJECT = 341276;
const CONTRACT = 1945782;

let platform: RunningPlatformA;
let caller: Caller;
beforeEach(async () => {
  platform = await startPlatformA({ switches: { spikeLimit: 0, hourlyLimit: 0 } });
  caller = await new Caller(platform).login();
});
afterEach(async () => {
  await platform.close();
  expect(platform.control.defects).toEqual([]);
});

const send = async (method: string, path: string, body?: JsonObject) => {
  const answer = await caller.call(method, path, body);
  return { status: answer.status, body: answer.text === '' ? {} : objectOf(answer) };
};
const idOf = ({ body }: { readonly body: JsonObject }): number => Number(body['id']);

describe('change orders', () => {
  const path = `/rest/v1.0/projects/${PROJECT}/commitment_change_orders`;
  const lines = (id: number) =>
    `/rest/v2.0/companies/${COMPANY}/projects/${PROJECT}/commitment_change_orders/${id}/line_items`;
  const create = (order: JsonObject) => send('POST', path, { change_order: order });
  const contract = async (): Promise<JsonObject> =>
    objectOf(await caller.get(`/rest/v1.0/work_order_contracts/${CONTRACT}?project_id=${PROJECT}`));
  const shown = async (member: string) => Number((await contract())[member]);

  it('need a contract of the project, and are drafts at first', async () => {
    expect(await send('POST', path, {})).toMatchObject({ status: 400 });
    for (const order of [{ title: 'X' }, { contract_id: 7 }] as readonly JsonObject[]) {
      const { status, body } = await create(order);
      expect({ status, body }).toMatchObject({
        status: 422,
        body: { errors: { contract_id: [expect.any(String)] } },
      });
    }
    expect(await create({ contract_id: CONTRACT, status: 'agreed' })).toMatchObject({ status: 422 });
    expect(await create({ contract_id: CONTRACT, title: 'Canopy', grand_total: '5.0' })).toMatchObject({
      status: 201,
      body: { contract_id: CONTRACT, title: 'Canopy', status: 'draft', number: '001', grand_total: '0.0' },
    });
  });

  it('are worth their lines, and the contract is worth more with them once they are approved', async () => {
    const before = {
      revised: await shown('revised_contract'),
      approved: await shown('approved_change_orders'),
    };
    const id = idOf(await create({ contract_id: CONTRACT }));
    expect(await send('POST', lines(id), { amount: '1.5' })).toMatchObject({ status: 422 });
    expect(await send('POST', lines(id), { wbs_code_id: '44', amount: '100.25' })).toMatchObject({
      status: 201,
      body: { data: { id: expect.any(String), wbs_code_id: '44', amount: '100.25' } },
    });
    expect(await shown('revised_contract')).toBe(before.revised);
    const approve = { change_order: { status: 'approved' } };
    expect(await send('PATCH', `${path}/${id}`, approve)).toMatchObject({
      status: 200,
      body: { status: 'approved', grand_total: expect.stringMatching(/^100\.250*$/) },
    });
    expect(await shown('approved_change_orders')).toBe(before.approved + 100.25);
    expect(await shown('revised_contract')).toBe(before.revised + 100.25);
    expect(await send('DELETE', `${path}/${id}`)).toMatchObject({ status: 422 });
    expect(await send('POST', lines(id), { wbs_code_id: '44' })).toMatchObject({ status: 422 });
    await send('PATCH', `${path}/${id}`, { change_order: { status: 'void' } });
    expect(await shown('revised_contract')).toBe(before.revised);
    expect(await send('DELETE', `${path}/${id}`)).toEqual({ status: 204, body: {} });
  });

  it('are listed without pages, by contract and by status', async () => {
    for (const title of ['One', 'Two', 'Three']) await create({ contract_id: CONTRACT, title });
    const list = async (query: string) => listOf(await caller.get(`${path}?${query}`));
    const all = await caller.get(`${path}?per_page=1`);
    expect([listOf(all).length, all.headers.get('link')]).toEqual([3, null]);
    expect(await list(`filters[contract_id]=${CONTRACT}&filters[status]=draft`)).toHaveLength(3);
    expect(await list('filters[status]=approved')).toEqual([]);
    expect((await list('view=extended&sort=-id'))[0]).toMatchObject({ title: 'Three', change_events: [] });
  });

  it('are not there where the tool is off', async () => {
    platform.control.edit('switch_tool', { project_id: PROJECT, tool: 'commitments' });
    expect((await caller.get(path)).status).toBe(403);
  });
});

describe('budget lines', () => {
  const path = '/rest/v1.1/budget_line_items';
  const create = (line: JsonObject) => send('POST', path, { project_id: PROJECT, budget_line_item: line });

  it('have numbers for amounts, and a code', async () => {
    expect(await create({ original_budget_amount: 5 })).toMatchObject({ status: 422 });
    expect(await create({ wbs_code_id: 44, original_budget_amount: '5' })).toMatchObject({ status: 422 });
    const made = await create({
      wbs_code_id: 44,
      quantity: 3,
      unit_cost: 1.5,
      calculation_strategy: 'automatic',
    });
    expect(made).toMatchObject({ status: 201, body: { wbs_code: { id: 44 }, original_budget_amount: 4.5 } });
    const change = {
      project_id: PROJECT,
      budget_line_item: { calculation_strategy: 'manual', original_budget_amount: 7 },
    };
    expect(await send('PATCH', `${path}/${idOf(made)}`, change)).toMatchObject({
      status: 200,
      body: { original_budget_amount: 7 },
    });
  });

  it('are listed as rows of a view, with texts for amounts', async () => {
    const made = await create({ wbs_code_id: 44, original_budget_amount: 12.5 });
    const [view] = listOf(await caller.get(`/rest/v1.0/budget_views?project_id=${PROJECT}`));
    const rows = `/rest/v1.0/budget_views/${Number(view?.['id'])}/detail_rows?project_id=`;
    expect(listOf(await caller.get(rows + PROJECT))).toEqual([
      expect.objectContaining({ id: idOf(made), project_id: PROJECT, original_budget_amount: '12.5' }),
    ]);
    expect(listOf(await caller.get(`${rows}341289`))).toEqual([]);
    expect((await caller.get(`/rest/v1.0/budget_views/7/detail_rows?project_id=${PROJECT}`)).status).toBe(
      404,
    );
  });

  it('are synchronised by POST, and deleted by version 2', async () => {
    const updates: JsonObject[] = [{ wbs_code_id: 44 }, { quantity: 1 }];
    expect(
      await send('POST', '/rest/v1.0/budget_line_items/sync', { project_id: PROJECT, updates }),
    ).toMatchObject({
      status: 200,
      body: { entities: [{ wbs_code: { id: 44 } }], errors: [{ quantity: 1 }] },
    });
    const [line] = platform.control.records('budget_line_items');
    const at = `/rest/v2.0/companies/${COMPANY}/projects/${PROJECT}/budget_line_items/${Number(line?.['id'])}`;
    expect(await send('DELETE', at)).toEqual({ status: 204, body: {} });
    expect(await send('DELETE', at)).toMatchObject({ status: 404 });
  });
});

describe('people and their hours', () => {
  const people = `/rest/v1.0/companies/${COMPANY}/people`;
  const entries = `/rest/v1.0/companies/${COMPANY}/timecard_entries`;
  const hire = (person: JsonObject) => send('POST', people, { person });
  const enter = (entry: JsonObject) => send('POST', entries, { project_id: PROJECT, timecard_entry: entry });

  it('need a last name, and go to another list when they are inactive', async () => {
    expect(await hire({ first_name: 'Dana' })).toMatchObject({ status: 422 });
    const dana = await hire({
      first_name: 'Dana',
      last_name: 'Whitfield',
      job_title: 'Foreman',
      is_employee: true,
    });
    expect(dana).toMatchObject({ status: 201, body: { contact: { is_active: true } } });
    expect(dana.body).not.toHaveProperty('job_title');
    const list = async (path: string) => listOf(await caller.get(path)).map((row) => row['job_title']);
    expect(await list(`${people}?view=extended&filters[search]=whit&filters[is_employee]=true`)).toEqual([
      'Foreman',
    ]);
    await send('PATCH', `${people}/${idOf(dana)}`, { person: { active: false } });
    expect(await list(people)).toEqual([]);
    expect(await list(`${people}/inactive?view=extended`)).toEqual(['Foreman']);
    expect((await caller.get(`${people}/${idOf(dana)}`)).status).toBe(405);
  });

  it('are entered for a day and a person, and listed by both', async () => {
    const dana = idOf(await hire({ first_name: 'Dana', last_name: 'Whitfield' }));
    expect(await enter({ hours: '8.0' })).toMatchObject({ status: 422 });
    expect(await enter({ date: '2026-01-12', party_id: 7 })).toMatchObject({ status: 422 });
    expect(await send('POST', entries, { timecard_entry: { date: '2026-01-12' } })).toMatchObject({
      status: 400,
    });
    const made = await enter({ date: '2026-01-12', hours: '8.0', party_id: dana });
    expect(made).toMatchObject({
      status: 201,
      body: { hours: '8.0', approval_status: 'pending', party: { id: dana, name: 'Dana Whitfield' } },
    });
    const list = async (query: string) => listOf(await caller.get(`${entries}?${query}`)).length;
    expect(await list(`filters[party_id][]=${dana}&start_date=2026-01-12&end_date=2026-01-12`)).toBe(1);
    expect(await list('start_date=2026-01-13')).toBe(0);
    const approve = { timecard_entry: { approval_status: 'approved' } };
    expect(await send('PATCH', `${entries}/${idOf(made)}`, approve)).toMatchObject({ status: 200 });
    expect((await send('DELETE', `${entries}/${idOf(made)}`)).status).toBe(200);
    expect(await list('')).toBe(0);
    expect(await list('filters[deleted_at]=2000-01-01...2100-01-01')).toBe(1);
  });
});

describe('users', () => {
  const users = `/rest/v1.3/companies/${COMPANY}/users`;
  const invite = (user: JsonObject) => send('POST', users, { user });
  const dana = { first_name: 'Dana', last_name: 'Whitfield', email_address: 'dana@lakeshore.example' };

  it('need a last name and an address for mail, and keep both', async () => {
    expect(await send('POST', users, { person: dana })).toMatchObject({ status: 400 });
    expect(await invite({ first_name: 'Dana' })).toMatchObject({
      status: 422,
      body: { errors: { last_name: [expect.any(String)], email_address: [expect.any(String)] } },
    });
    const made = await invite({ ...dana, id: 7, vendor_id: 501004 });
    expect(made).toMatchObject({
      status: 201,
      body: { ...dana, name: 'Dana Whitfield', initials: 'DW', is_active: true, vendor: { id: 501004 } },
    });
    expect(idOf(made)).not.toBe(7);
    const path = `${users}/${idOf(made)}`;
    expect(await send('PATCH', path, { user: { email_address: '' } })).toMatchObject({ status: 422 });
    expect(await send('PATCH', path, { user: { vendor_id: 7 } })).toMatchObject({ status: 422 });
    expect(await send('PATCH', path, { user: { job_title: 'Foreman' } })).toMatchObject({
      status: 200,
      body: { ...dana, job_title: 'Foreman' },
    });
    expect(await send('GET', path.replace('v1.3', 'v1.0'))).toMatchObject({ body: { job_title: 'Foreman' } });
    expect((await caller.get(`${users}/7`)).status).toBe(404);
    expect((await caller.call('DELETE', path)).status).toBe(405);
  });

  it('share no reference of an accounting system', async () => {
    expect(await invite({ ...dana, origin_id: 'E-1' })).toMatchObject({ status: 201 });
    expect(await invite({ ...dana, origin_id: 'E-1' })).toMatchObject({
      status: 422,
      body: { errors: { origin_id: [expect.any(String)] } },
    });
  });

  it('are listed by when they changed, and are not people', async () => {
    await invite(dana);
    const list = async (query: string) => listOf(await caller.get(`${users}?${query}`)).length;
    expect(await list('filters[updated_at]=2000-01-01...2001-01-01')).toBe(0);
    expect(await list('filters[updated_at]=2001-01-01...2100-01-01')).toBe(1);
    expect(await list('filters[search]=LAKESHORE')).toBe(1);
    expect(listOf(await caller.get(`/rest/v1.0/companies/${COMPANY}/people`))).toEqual([]);
    expect((await caller.get(users.replace(COMPANY, '1'))).status).toBe(403);
  });
});
