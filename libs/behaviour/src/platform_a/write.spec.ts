import { join } from 'node:path';
import type { JsonObject, NativeChange, StoredEntityType } from '@app/mapper';
import { newRecordsFrom } from '../json-files';
import { occasionAt } from '../occasion';
import { writeToPlatformA } from './write';

const now = new Date('2026-11-21T10:00:00.789Z');

function write(
  entityType: StoredEntityType,
  current: JsonObject | undefined,
  fields: Readonly<Record<string, NativeChange['value']>>,
  referred: Readonly<Record<string, JsonObject>> = {},
): ReturnType<typeof JSON.parse> {
  const changes = Object.entries(fields).map(([path, value]) => ({ path: path.split('.'), value }));
  return writeToPlatformA({ entityType, variant: null, current, changes, referred }, occasionAt(now));
}

const contract: JsonObject = {
  grand_total: '100.0',
  approved_change_orders: '10.50',
  pending_change_orders: '1.0',
  revised_contract: '110.50',
  pending_revised_contract: '111.50',
  total_payments: '30.0',
  remaining_balance_outstanding: '80.50',
  percentage_paid: '27.149',
  line_items: [
    {
      id: 1,
      amount: '100.0',
      total_amount: '100.0',
      extended_amount: '100.0',
      quantity: '4.0',
      unit_cost: '25.0',
    },
  ],
};

describe('a write to platform_a', () => {
  it('keeps values as they are sent, and stamps the record to the second', () => {
    const record = write(
      'payment',
      { amount: '1.00', notes: 'old', updated_at: 'old' },
      { amount: '2.0', 'x.y': null },
    );
    expect(record).toEqual({
      amount: '2.0',
      notes: 'old',
      x: { y: null },
      updated_at: '2026-11-21T10:00:00Z',
    });
  });

  it('does not change the record that it was given', () => {
    const before = JSON.stringify(contract);
    write('contract', contract, { grand_total: '200.00' });
    expect(JSON.stringify(contract)).toBe(before);
  });

  it('computes a contract from its one line upwards', () => {
    expect(write('contract', contract, { grand_total: '200.00' })).toMatchObject({
      grand_total: '200.00',
      revised_contract: '210.50',
      pending_revised_contract: '211.50',
      remaining_balance_outstanding: '180.50',
      percentage_paid: '14.252',
      line_items: [
        {
          id: 1,
          amount: '200.00',
          total_amount: '200.00',
          extended_amount: '200.00',
          quantity: '1.0',
          unit_cost: '200.00',
        },
      ],
    });
  });

  it.each([
    ['-10.50', '0.0'],
    ['-100.00', '-33.52'],
  ])('knows a share of nothing, and of less: a contract of %s', (grand_total, percentage) => {
    expect(write('contract', contract, { grand_total }).percentage_paid).toBe(percentage);
  });

  it('shows no figure that the record does not show', () => {
    expect(Object.keys(write('contract', { grand_total: '1.00' }, { grand_total: '2.00' }))).toEqual([
      'grand_total',
      'updated_at',
    ]);
  });

  it('computes a certificate from what is due upwards, and the progress with it', () => {
    const requisition: JsonObject = {
      percent_complete: '10.0',
      summary: {
        contract_sum_to_date: '1000.0',
        total_completed_and_stored_to_date: '300.0',
        total_retainage: '30.0',
        total_earned_less_retainage: '270.0',
        less_previous_certificates_for_payment: '100.0',
        tax_applicable_to_this_payment: '5.0',
        current_payment_due: '175.0',
        balance_to_finish_including_retainage: '730.0',
      },
      items: [
        {
          scheduled_value: '1000.0',
          work_completed_this_period: '175.0',
          total_completed_and_stored_to_date: '300.0',
          total_completed_and_stored_to_date_percent: '30.0',
        },
      ],
    };
    const record = write('invoice', requisition, { 'summary.current_payment_due': '208.34' });
    expect(record.summary).toMatchObject({
      current_payment_due: '208.34',
      total_earned_less_retainage: '303.34',
      total_completed_and_stored_to_date: '333.34',
      balance_to_finish_including_retainage: '696.66',
    });
    expect(record.percent_complete).toBe('33.33');
    expect(record.items).toEqual([
      {
        scheduled_value: '1000.0',
        work_completed_this_period: '208.34',
        total_completed_and_stored_to_date: '333.34',
        total_completed_and_stored_to_date_percent: '33.33',
      },
    ]);
  });

  it('shows the names of what it refers to', () => {
    const record = write(
      'contract',
      { vendor: { id: 1, company: 'Old' }, project: { id: 2, name: 'Old' } },
      { 'vendor.id': '7', 'project.id': 8 },
      { customer_id: { name: 'New vendor' }, project_id: { name: 'New project' } },
    );
    expect(record).toMatchObject({
      vendor: { id: 7, company: 'New vendor' },
      project: { id: 8, name: 'New project' },
    });
    expect(write('contract', record, { 'vendor.id': null }).vendor).toEqual({ id: null, company: null });
  });

  it('shows a project under its number and name', () => {
    expect(
      write('project', { display_name: 'x', project_number: 'P-1', name: 'Old' }, { name: 'New' }),
    ).toMatchObject({
      display_name: 'P-1 New',
    });
    expect(write('project', { project_number: 'P-1', name: 'Old' }, { project_number: null })).toMatchObject({
      display_name: 'Old',
    });
  });

  it('makes a record with an ID of its own, and a bill on its contract', () => {
    const order = {
      number: 'PO-1',
      grand_total: '50.0',
      approved_change_orders: '5.0',
      revised_contract: '55.0',
      ship_to_address: null,
      vendor: { id: 9, company: 'V' },
    };
    const record = write(
      'invoice',
      undefined,
      { commitment_id: 4, 'summary.current_payment_due': '11.00' },
      { contract_id: order },
    );
    expect(Number.isSafeInteger(record.id)).toBe(true);
    expect(record).toMatchObject({
      created_at: '2026-11-21T10:00:00Z',
      updated_at: '2026-11-21T10:00:00Z',
      commitment_id: 4,
      commitment_type: 'PurchaseOrderContract',
      contract_name: 'Contract PO-1',
      vendor_id: 9,
      vendor_name: 'V',
      percent_complete: '20.0',
      summary: {
        original_contract_sum: '50.0',
        net_change_by_change_orders: '5.0',
        contract_sum_to_date: '55.0',
      },
    });
    expect(Object.keys(record).sort()).toEqual(
      Object.keys(newRecordsFrom(join(__dirname, 'new_records.json'))('invoice')).sort(),
    );
    expect(newRecordsFrom(join(__dirname, 'new_records.json'))('invoice').id).toBeNull();
  });
});
