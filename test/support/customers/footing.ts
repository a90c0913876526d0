import type { Platform, StoredType } from './portfolio';

type Payload = ReturnType<typeof JSON.parse>;

const DIGITS = 8;

/** A decimal text or number as an integer of hundred-millionths, exactly. */
function exact(decimal: string | number): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,8}))?$/.exec(String(decimal)) ?? [];
  if (whole === '') throw new Error(`${decimal} is no plain decimal`);
  return BigInt(`${sign}${whole}${fraction.padEnd(DIGITS, '0')}`);
}

const total = (decimals: readonly (string | number)[]): bigint =>
  decimals.reduce((sum, decimal) => sum + exact(decimal), 0n);

/** Share of a whole in percent. */
function share(part: string | number, whole: string | number): number {
  return Number(exact(whole)) === 0 ? 0 : (100 * Number(exact(part))) / Number(exact(whole));
}

/** Expects the read-only figures of a record to be what its platform would compute from the others. */
export function expectToFoot(platform: Platform, type: StoredType, payload: Payload): void {
  if (type === 'contract') (platform === 'platform_a' ? commitmentFoots : orderFoots)(payload);
  if (type === 'invoice') (platform === 'platform_a' ? requisitionFoots : salesInvoiceFoots)(payload);
}

function commitmentFoots(contract: Payload): void {
  const of = (name: string): bigint => exact(contract[name]);
  if (contract.line_items.length > 0) {
    expect(total(contract.line_items.map((line: Payload) => line.amount))).toBe(of('grand_total'));
  }
  for (const line of contract.line_items) {
    expect(exact(line.quantity) * exact(line.unit_cost)).toBe(exact(line.amount) * exact(1));
    expect([line.total_amount, line.extended_amount].map(exact)).toEqual(Array(2).fill(exact(line.amount)));
  }
  expect(of('revised_contract')).toBe(of('grand_total') + of('approved_change_orders'));
  expect(of('pending_revised_contract')).toBe(of('revised_contract') + of('pending_change_orders'));
  expect(of('remaining_balance_outstanding')).toBe(of('revised_contract') - of('total_payments'));
  expect(Number(contract.percentage_paid)).toBeCloseTo(
    share(contract.total_payments, contract.revised_contract),
    2,
  );
}

function requisitionFoots(requisition: Payload): void {
  const of = (name: string): bigint => exact(requisition.summary[name]);
  expect(of('total_earned_less_retainage')).toBe(
    of('total_completed_and_stored_to_date') - of('total_retainage'),
  );
  expect(of('current_payment_due')).toBe(
    of('total_earned_less_retainage') -
      of('less_previous_certificates_for_payment') +
      of('tax_applicable_to_this_payment'),
  );
  expect(of('balance_to_finish_including_retainage')).toBe(
    of('contract_sum_to_date') - of('total_earned_less_retainage'),
  );
  expect(Number(requisition.percent_complete)).toBeCloseTo(
    share(requisition.summary.total_completed_and_stored_to_date, requisition.summary.contract_sum_to_date),
    1,
  );
  if (requisition.items.length > 0) {
    const { items } = requisition;
    expect(total(items.map((item: Payload) => item.work_completed_this_period))).toBe(
      of('current_payment_due'),
    );
    for (const item of items) {
      expect(exact(item.total_completed_and_stored_to_date)).toBe(
        exact(item.work_completed_from_previous_application) +
          exact(item.work_completed_this_period) +
          exact(item.materials_presently_stored),
      );
      expect(Number(item.total_completed_and_stored_to_date_percent)).toBeCloseTo(
        share(item.total_completed_and_stored_to_date, item.scheduled_value),
        1,
      );
    }
  }
}

function orderFoots(order: Payload): void {
  documentFoots(order, order.salesOrderLines);
}

function salesInvoiceFoots(invoice: Payload): void {
  documentFoots(invoice, invoice.salesInvoiceLines);
}

function documentFoots(document: Payload, lines: Payload[]): void {
  expect(lines.length).toBeGreaterThan(0);
  expect(exact(document.totalAmountExcludingTax)).toBe(
    total(lines.map(({ netAmount }) => netAmount)) - exact(document.discountAmount),
  );
  expect(exact(document.totalTaxAmount)).toBe(total(lines.map(({ netTaxAmount }) => netTaxAmount)));
  expect(exact(document.totalAmountIncludingTax)).toBe(
    exact(document.totalAmountExcludingTax) + exact(document.totalTaxAmount),
  );
  for (const line of lines) {
    expect(exact(line.quantity) * exact(line.unitPrice)).toBe(exact(line.netAmount) * exact(1));
    expect(exact(line.amountExcludingTax)).toBe(exact(line.netAmount));
    expect(exact(line.amountIncludingTax)).toBe(exact(line.netAmount) + exact(line.netTaxAmount));
    expect(exact(line.netAmountIncludingTax)).toBe(exact(line.amountIncludingTax));
  }
}
