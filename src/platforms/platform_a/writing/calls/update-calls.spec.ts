import { stringifyJson, type JsonObject, type JsonValue } from '@app/mapper';
import { callsFor, type CallTarget } from './update-calls';

const session = { settings: { api_url: 'https://a.example', company_id: '77' } };
const contract = (current: JsonObject): CallTarget => ({
  entityType: 'contract',
  variant: 'WorkOrderContract',
  parents: { project: '5' },
  id: '9',
  current,
});
const line = (over: JsonObject = {}): JsonObject => ({
  id: 3,
  amount: '10.0',
  extended_type: 'calculated',
  ...over,
});
const set = (fields: Readonly<Record<string, JsonValue>>) =>
  Object.entries(fields).map(([path, value]) => ({ path: path.split('.'), value }));

function calls(
  existing: CallTarget,
  fields: Readonly<Record<string, JsonValue>>,
  vendorId?: string | null,
): string[] {
  const planned = callsFor(session, existing, set(fields), vendorId);
  if (planned.status === 'rejected') return [planned.reason];
  return planned.calls.map(({ call: { method, path, body } }) => `${method} ${path} ${stringifyJson(body)}`);
}

describe('the calls of a change', () => {
  it('to a contract name the vendor by its ID in the project, of any size', () => {
    expect(calls(contract({}), { 'vendor.id': '1', title: 'T' }, '9007199254740993')).toEqual([
      'PATCH /rest/v1.0/work_order_contracts/9 {"project_id":5,"work_order_contract":{"vendor_id":9007199254740993,"title":"T"}}',
    ]);
    expect(calls(contract({}), { 'vendor.id': null }, null)[0]).toContain('"vendor_id":null');
  });

  const wanted = { grand_total: '12.5', title: 'T' };
  const onLine = 'PATCH /rest/v1.0/work_order_contracts/9/line_items/3';
  const header =
    'PATCH /rest/v1.0/work_order_contracts/9 {"project_id":5,"work_order_contract":{"title":"T"}}';
  it.each([
    [
      'Draft',
      [
        `${onLine} {"project_id":5,"line_item":{"amount":"12.5","quantity":"1.0","unit_cost":"12.5"}}`,
        header,
      ],
    ],
    [
      'Approved',
      [
        header,
        `${onLine} {"project_id":5,"line_item":{"amount":"12.5","quantity":"1.0","unit_cost":"12.5"}}`,
      ],
    ],
  ])('to a contract in status %s set its amount when it is open', (status, expected) => {
    expect(calls(contract({ status, line_items: [line()] }), wanted)).toEqual(expected);
  });

  it('to a contract set its amount through its line, or make the first one', () => {
    const amount = { grand_total: '12' };
    expect(calls(contract({ line_items: [line({ extended_type: 'manual' })] }), amount)).toEqual([
      `${onLine} {"project_id":5,"line_item":{"amount":"12.0"}}`,
    ]);
    expect(calls(contract({ line_items: [], title: 'T' }), amount)).toEqual([
      'POST /rest/v1.0/work_order_contracts/9/line_items {"project_id":5,"line_item":{"description":"T","amount":"12.0"}}',
    ]);
    expect(calls(contract({ line_items: [line(), line({ id: 4 })] }), amount)).toEqual([
      'grand_total is the sum of 2 lines; change those there',
    ]);
    expect(calls(contract({ line_items: [line()] }), { grand_total: null })).toEqual([
      'an amount cannot be taken away',
    ]);
  });

  it('to an invoice add the difference to the work of its item', () => {
    const invoice = (current: JsonObject): CallTarget => ({
      ...contract(current),
      entityType: 'invoice',
      variant: null,
    });
    const summary = { current_payment_due: '90.00' };
    const item = {
      id: 8,
      item_type: 'contract_item',
      work_completed_this_period: '100.0',
      work_completed_retainage_retained_this_period: '10.0',
    };
    const due = { 'summary.current_payment_due': '85.5' };
    expect(calls(invoice({ status: 'draft', summary, items: [item] }), due)).toEqual([
      'PATCH /rest/v1.0/requisitions/9/bulk_item_update {"requisition_items":[{"id":8,"item_type":"contract_item",' +
        '"work_completed_this_period":"95.50","work_completed_retainage_retained_this_period":"10.0"}]}',
    ]);
    // Some versions write amounts as numbers.
    const numbers = {
      ...item,
      work_completed_this_period: 100,
      work_completed_retainage_retained_this_period: 10.5,
    };
    expect(calls(invoice({ summary, items: [numbers] }), due)).toEqual([
      expect.stringMatching(
        /"work_completed_this_period":"95.50","work_completed_retainage_retained_this_period":"10.5"/,
      ),
    ]);
    expect(calls(invoice({ summary, items: [item, item] }), due)).toEqual([
      'summary.current_payment_due follows from 2 items; change those there',
    ]);
    expect(calls(invoice({ items: [] }), { due_date: '2026-01-01' })).toEqual([
      'PATCH /rest/v2.0/companies/77/projects/5/requisitions/9/payment_details {"due_date":"2026-01-01"}',
    ]);
  });

  it('to a vendor have its name, and bring it back first', () => {
    const vendor = (current: JsonObject): CallTarget => ({
      ...contract(current),
      entityType: 'customer',
      parents: undefined,
    });
    expect(calls(vendor({ name: 'N', is_active: false }), { is_active: true, city: 'C' })).toEqual([
      'PATCH /rest/v1.0/companies/77/vendors/inactive/9 {"company_id":77,"vendor":{"is_active":true}}',
      'PATCH /rest/v1.0/vendors/9 {"company_id":77,"vendor":{"name":"N","is_active":true,"city":"C"}}',
    ]);
    expect(calls(vendor({ name: 'N' }), { 'parent.id': '4', name: 'M' })).toEqual([
      'PATCH /rest/v1.0/vendors/9 {"company_id":77,"vendor":{"name":"M","parent_id":4}}',
    ]);
  });

  it('to a project write numbers and custom fields in their form', () => {
    const project: CallTarget = { ...contract({}), entityType: 'project', parents: undefined };
    const fields = {
      total_value: '0012.50',
      'custom_fields.custom_field_1.value': 'x',
      'project_stage.id': 31,
    };
    expect(calls(project, fields)).toEqual([
      'PATCH /rest/v1.0/projects/9 {"company_id":77,"project":{"total_value":12.50,"custom_field_1":"x","project_stage_id":31}}',
    ]);
  });

  it.each(['project.name', 'revised_contract', 'line_items', 'vendor.project_vendor_id', 'id'])(
    'do not exist for %s, which is read-only',
    (path) => {
      expect(calls(contract({}), { [path]: 'x' })).toEqual([`platform_a does not let ${path} be written`]);
    },
  );
});
