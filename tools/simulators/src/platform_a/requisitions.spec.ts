import { stringifyJson, valueAt, type JsonObject } from '@app/mapper';
import { Caller, listOf, objectOf, type ApiResponse } from '../testing/caller';
import { amountOf, sameAmount } from './amounts';
import { objectsIn, withSummary } from './totals';
import { startPlatformA, type RunningPlatformA } from '.';

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

const id = (record: JsonObject): string => stringifyJson(record['id']);
const errorsOf = (answer: ApiResponse): unknown => objectOf(answer)['errors'];
const base = '/rest/v1.1/requisitions';
const PROJECT = 341318;
const CONTRACT = 1946011;
const due = (record: JsonObject): unknown => valueAt(record, ['summary', 'current_payment_due']);
const show = async (requisition: string, project = PROJECT, view = 'extended'): Promise<JsonObject> =>
  objectOf(await caller.get(`${base}/${requisition}?project_id=${project}&view=${view}`));
const create = (requisition: JsonObject, commitment = CONTRACT): Promise<ApiResponse> =>
  caller.call('POST', `${base}?view=extended`, {
    project_id: PROJECT,
    commitment_id: commitment,
    requisition,
  });
const update = (requisition: string, body: JsonObject, project = PROJECT): Promise<ApiResponse> =>
  caller.call('PATCH', `${base}/${requisition}?view=extended`, { project_id: project, requisition: body });

describe('requisitions', () => {
  it('of the sample have items that their summaries follow from', () => {
    for (const requisition of platform.control.records('requisitions')) {
      const computed = withSummary(requisition, undefined);
      const same = sameAmount(amountOf(due(computed) as string), amountOf(due(requisition) as string));
      expect([requisition['id'], due(computed), same]).toEqual([requisition['id'], expect.any(String), true]);
    }
  });

  it('are created for a contract, with an item for each line and what was certified before', async () => {
    const created = await create({
      invoice_number: 77,
      billing_date: '2026-11-02',
      summary: { current_payment_due: '5' },
    });
    expect(created.status).toBe(201);
    const record = objectOf(created);
    expect(record).toMatchObject({
      number: 3,
      invoice_number: '77',
      status: 'draft',
      commitment_type: 'PurchaseOrderContract',
      summary: { less_previous_certificates_for_payment: '464850.00', current_payment_due: '0.00' },
    });
    const { items } = await show(id(record), PROJECT, 'items');
    expect(items).toHaveLength(3);
    expect((await create({}, 1)).status).toBe(404);
    expect((await caller.call('POST', base, { project_id: PROJECT, requisition: {} })).status).toBe(400);
  });

  it('show no summary but in the extended view', async () => {
    expect(await show('10071', PROJECT, 'default')).not.toHaveProperty('summary');
    expect(
      objectOf(await caller.call('PATCH', `${base}/10071`, { project_id: PROJECT, requisition: {} })),
    ).not.toHaveProperty('summary');
    expect(await show('10071')).toHaveProperty('summary');
  });

  it('have the sum of their items without the retained amount', async () => {
    const record = objectOf(await create({ invoice_number: 'INV-NEW' }));
    const [first, second] = objectsIn(await show(id(record), PROJECT, 'items'), 'items');
    const bulk = (items: readonly JsonObject[]): Promise<ApiResponse> =>
      caller.call('PATCH', `/rest/v1.0/requisitions/${id(record)}/bulk_item_update?project_id=${PROJECT}`, {
        requisition_items: items,
      });
    const item = { id: first?.['id'] ?? null, item_type: 'contract_item' };
    expect((await bulk([{ ...item, work_completed_this_period: '1000.50' }])).status).toBe(200);
    expect(due(await show(id(record)))).toBe('1000.50');
    await update(id(record), {
      items: [
        {
          id: second?.['id'] ?? null,
          item_type: 'contract_item',
          work_completed_this_period: '200.00',
          work_completed_retainage_percent_this_period: '10.0',
        },
      ],
    });
    const after = await show(id(record));
    expect(due(after)).toBe('1180.50');
    expect(valueAt(after, ['summary', 'total_retainage'])).toBe('20.00');
    await bulk([{ ...item, work_completed_retainage_retained_this_period: '0.50' }]);
    expect(due(await show(id(record)))).toBe('1180.00');
    expect((await bulk([{ ...item, id: 5 }])).status).toBe(422);
    expect((await bulk([{ ...item, item_type: 'other' }])).status).toBe(422);
    expect((await bulk([{ ...item, work_completed_this_period: 'much' }])).status).toBe(422);
    const contract = await caller.get(
      `/rest/v1.0/purchase_order_contracts/${CONTRACT}?project_id=${PROJECT}`,
    );
    expect(objectOf(contract)['total_requisitions_amount']).toBe('466030.00');
  });

  it('take items with their creation, by line', async () => {
    const [line] = objectsIn(
      objectOf(await caller.get(`/rest/v1.0/purchase_order_contracts/${CONTRACT}?project_id=${PROJECT}`)),
      'line_items',
    );
    const items = [
      { line_item_id: line?.['id'] ?? null, item_type: 'contract_item', work_completed_this_period: 50 },
    ];
    expect(due(objectOf(await create({ items })))).toBe('50.00');
    const list = await caller.get(`/rest/v1.0/requisitions/10071/contract_items?project_id=${PROJECT}`);
    expect(listOf(list)).toHaveLength(2);
  });

  it('are locked once an accounting system has them', async () => {
    expect((await update('10074', { origin_id: 'ACC-9' })).status).toBe(200);
    const refused = await update('10074', { origin_id: null });
    expect([refused.status, errorsOf(refused)]).toEqual([
      422,
      { base: ['The invoice is not editable because it has been synced with ERP'] },
    ]);
  });

  it('are deleted only as the latest open one of their contract', async () => {
    const remove = (requisition: string): Promise<ApiResponse> =>
      caller.call('DELETE', `${base}/${requisition}?project_id=${PROJECT}`);
    expect((await remove('10071')).status).toBe(422);
    expect((await show('10074'))['deletable']).toBe(true);
    const gone = await remove('10074');
    expect([gone.status, gone.text]).toEqual([200, '']);
    expect((await remove('10074')).status).toBe(404);
    expect((await remove('10071')).status).toBe(422);
    await update('10071', { status: 'draft' });
    expect((await remove('10071')).status).toBe(200);
  });

  it('are edited by others than admins only as the latest, while they are open', async () => {
    platform.control.switches.set('accountIsAdmin', false);
    expect((await update('10071', { final: true })).status).toBe(422);
    expect((await update('10074', { final: true })).status).toBe(422);
    const created = objectOf(await create({}));
    expect((await update(id(created), { final: true })).status).toBe(200);
    expect((await update(id(created), { status: 'approved' })).status).toBe(422);
  });

  it('are narrowed to the last ones, to a contract and to a status', async () => {
    const list = async (filter: string): Promise<string[]> =>
      listOf(await caller.get(`${base}?project_id=${PROJECT}&${filter}`)).map(id);
    expect(await list('filters[is_last]=true')).toEqual(['10074']);
    expect(await list(`filters[commitment_id]=${CONTRACT}&filters[status]=approved`)).toEqual(['10071']);
  });

  it('may share a number unless they may not', async () => {
    expect((await create({ invoice_number: 'SAME' })).status).toBe(201);
    expect((await create({ invoice_number: 'SAME' })).status).toBe(201);
    platform.control.switches.set('uniqueInvoiceNumbers', true);
    const refused = await create({ invoice_number: 'SAME' });
    expect([refused.status, objectOf(refused)]).toMatchObject([
      422,
      { errors: { invoice_number: ['has already been taken'] } },
    ]);
    expect((await create({ invoice_number: 'OTHER' })).status).toBe(201);
  });

  it('have a due date by a path of version 2', async () => {
    const path = `/rest/v2.0/companies/77410/projects/${PROJECT}/requisitions/10074/payment_details`;
    const answer = await caller.call('PATCH', path, { due_date: '2026-12-24' });
    expect([answer.status, objectOf(answer)]).toEqual([
      200,
      { data: { id: '10074', due_date: '2026-12-24' } },
    ]);
    expect(await show('10074')).not.toHaveProperty('due_date');
    platform.control.switches.set('requisitionsShowDueDate', true);
    const shown = await show('10074');
    expect(shown['due_date']).toBe('2026-12-24');
    platform.control.switches.set('dueDatesTouchRequisition', false);
    platform.control.clock.advance(60_000);
    await caller.call('PATCH', path, { due_date: '2026-12-25' });
    expect(await show('10074')).toEqual({ ...shown, due_date: '2026-12-25' });
  });
});

describe('payments', () => {
  const list = `/rest/v1.0/contract_payments`;
  const scope = `project_id=${PROJECT}&contract_id=${CONTRACT}`;
  const body = (payment: JsonObject): JsonObject => ({
    project_id: PROJECT,
    contract_id: CONTRACT,
    contract_payment: payment,
  });
  const paid = async (): Promise<unknown> =>
    objectOf(await caller.get(`/rest/v1.0/purchase_order_contracts/${CONTRACT}?project_id=${PROJECT}`));

  it('are those of one contract, of either kind', async () => {
    expect(listOf(await caller.get(`${list}?${scope}`))).toHaveLength(3);
    expect(listOf(await caller.get(`${list}?project_id=341276&contract_id=1945782`))).toHaveLength(1);
    expect((await caller.get(`${list}?project_id=341276&contract_id=${CONTRACT}`)).status).toBe(404);
    expect((await caller.get(`${list}/1823634?${scope}`)).status).toBe(200);
    expect((await caller.get(`${list}/1823391?${scope}`)).status).toBe(404);
  });

  it('may share a check number unless they may not, and start in the status that they do', async () => {
    const pay = async (number: string | null) => {
      const answer = await caller.call('POST', list, body({ amount: '1.0', check_number: number }));
      return [answer.status, objectOf(answer)['status']];
    };
    expect(await pay('CHK-1')).toEqual([201, 'pending']);
    expect(await pay('CHK-1')).toEqual([201, 'pending']);
    platform.control.switches.set('uniqueCheckNumbers', true);
    platform.control.switches.set('newPaymentStatus', 'unpaid');
    expect(await pay('CHK-1')).toEqual([422, undefined]);
    expect(await pay('CHK-2')).toEqual([201, 'unpaid']);
    expect([await pay(null), await pay(null)]).toEqual([
      [201, 'unpaid'],
      [201, 'unpaid'],
    ]);
  });

  it('are added to what was paid on the contract, and change nothing else of it', async () => {
    const before = await paid();
    const created = await caller.call(
      'POST',
      list,
      body({ amount: '100.10', check_number: 'CHK-1', requisition_id: 10071 }),
    );
    expect(created.status).toBe(201);
    expect(objectOf(created)).toMatchObject({
      amount: '100.10',
      status: 'pending',
      payment_number: expect.any(Number),
    });
    expect(await paid()).toMatchObject({
      total_payments: '269750.66',
      updated_at: valueAt(before as JsonObject, ['updated_at']),
    });
    await caller.call('PATCH', `${list}/${id(objectOf(created))}`, body({ amount: '0.10' }));
    expect(await paid()).toMatchObject({ total_payments: '269650.66' });
    const gone = await caller.call('DELETE', `${list}/${id(objectOf(created))}?${scope}`);
    expect([gone.status, gone.text]).toEqual([200, '']);
    expect(await paid()).toMatchObject({ total_payments: '269650.56' });
    expect((await caller.get(`${list}/${id(objectOf(created))}?${scope}`)).status).toBe(404);
  });

  it('keep to themselves what is taken and not shown, and pass over what may not be written', async () => {
    const sent = { payment_method: 'check', invoice_date: '2026-01-01', status: 'paid', notes: 'Mine' };
    const created = objectOf(await caller.call('POST', list, body(sent)));
    expect(created).toMatchObject({ status: 'pending', notes: 'Mine', amount: '0.0' });
    expect(created).not.toHaveProperty('payment_method');
    expect(created).not.toHaveProperty('invoice_date');
    expect((await caller.call('POST', list, body({ payment_method: 'gold' }))).status).toBe(422);
    expect((await caller.call('POST', list, body({ requisition_id: 10061 }))).status).toBe(422);
    expect((await caller.call('POST', `${list}?${scope}`, { contract_payment: {} })).status).toBe(400);
  });

  it('are locked once an accounting system has them, but for its own fields', async () => {
    const change = (payment: JsonObject): Promise<ApiResponse> =>
      caller.call('PATCH', `${list}/1823634`, body(payment));
    expect((await change({ origin_id: 'ACC-1' })).status).toBe(200);
    const refused = await change({ notes: 'x', origin_data: 'y' });
    expect([refused.status, errorsOf(refused)]).toEqual([
      422,
      { base: ['The Contract Payment cannot be edited or deleted because it is synced with an ERP system'] },
    ]);
    expect((await change({ origin_data: 'y' })).status).toBe(200);
    expect((await caller.call('DELETE', `${list}/1823634?${scope}`)).status).toBe(422);
    expect((await change({ origin_id: null })).status).toBe(200);
    expect((await change({ notes: 'x' })).status).toBe(200);
  });

  it('may move the time of the contract, and may stay visible by ID when they are deleted', async () => {
    platform.control.switches.setAll({ paymentsTouchContract: true, paymentDeletes: 'hidden' });
    const before = valueAt((await paid()) as JsonObject, ['updated_at']);
    expect((await caller.call('DELETE', `${list}/1823634?${scope}`)).status).toBe(200);
    expect((await paid()) as JsonObject).not.toMatchObject({ updated_at: before });
    expect(listOf(await caller.get(`${list}?${scope}`))).toHaveLength(2);
    const shown = await caller.get(`${list}/1823634?${scope}`);
    expect([shown.status, objectOf(shown)['removed_at']]).toEqual([200, undefined]);
  });
});
