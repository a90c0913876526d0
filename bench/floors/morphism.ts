import type { JsonObject } from '@app/mapper';
import type { PortfolioRecord } from '@app/behaviour';
import * as library from 'morphism';
import type { MappedType } from '../portfolio/mapped-records';
import type { KnownRecords } from './hand-written/translated';

/** The mapping of a type as two schemas of the library: to canonical form, and from there to platform_b. */
export function morphismRival(
  entityType: MappedType,
  known: KnownRecords,
): (record: PortfolioRecord) => JsonObject {
  const target = toB(known)[entityType];
  const source = fromA[entityType];
  // A schema with functions applies to one record and returns one.
  return ({ payload }) => morphism(target, morphism(source, payload));
}

/** The part of the library's schemas that is used here: paths, and functions of the value at a path. */
type Table = Readonly<
  Record<string, string | (() => string) | { readonly path: string | string[]; readonly fn: unknown }>
>;

/** Applies a schema: to a record, or to each record of a list. */
interface Morphism {
  (table: Table, record: JsonObject): JsonObject;
  (table: Table, records: readonly JsonObject[]): readonly JsonObject[];
}

// The library's own types go deeper than the compiler follows.
const morphism = library.morphism as unknown as Morphism;

const money = (path: string) => ({ path, fn: (value: string) => cents(value) });

function cents(value: string | null | undefined): number | null | undefined {
  return value === undefined || value === null ? value : Math.round(Number(value) * 100);
}

function units(value: number | null | undefined): number | undefined {
  return value === undefined ? undefined : value === null ? 0 : value / 100;
}

const word = (path: string, words: Readonly<Record<string, string>>) => ({
  path,
  fn: (value: string) => words[value],
});
const day = (path: string) => ({
  path,
  fn: (value: string | null) => (value === null ? '0001-01-01' : value),
});
const code = (path: string) => ({
  path,
  fn: (value: string | null) => (value === null ? '' : value.trim().toUpperCase()),
});
const amount = (path: string) => ({ path, fn: units });

const statusesOfB = {
  draft: 'Draft',
  in_review: 'In_x0020_Review',
  revise_and_resubmit: 'Draft',
  pending_owner_approval: 'In_x0020_Review',
  pending_approval: 'In_x0020_Review',
  processing: 'In_x0020_Review',
  out_for_bid: 'Draft',
  approved: 'Open',
  approved_as_noted: 'Open',
  in_progress: 'Open',
};

const line: Table = {
  position: 'position',
  description: 'description',
  quantity: { path: 'quantity', fn: Number },
  unit_price: { path: 'unit_cost', fn: Number },
  uom: 'uom',
  amount: money('amount'),
  budget_code: 'wbs_code.flat_code',
};
const lineOfB: Table = {
  sequence: { path: 'position', fn: (position: number) => position * 10_000 },
  description: 'description',
  quantity: 'quantity',
  unitPrice: 'unit_price',
  unitOfMeasureCode: code('uom'),
  netAmount: amount('amount'),
  lineObjectNumber: code('budget_code'),
};

const fromA: Readonly<Record<MappedType, Table>> = {
  invoice: {
    number: 'invoice_number',
    status: word('status', {
      draft: 'draft',
      under_review: 'in_review',
      revise_and_resubmit: 'revise_and_resubmit',
      pending_owner_approval: 'pending_owner_approval',
      approved: 'approved',
      approved_as_noted: 'approved_as_noted',
    }),
    contract_id: 'commitment_id',
    project_id: 'project_id',
    customer_id: 'vendor_id',
    invoice_date: 'billing_date',
    due_date: 'due_date',
    period_start: 'requisition_start',
    period_end: 'requisition_end',
    submitted_on: 'submitted_at',
    paid_on: 'payment_date',
    amount: money('summary.current_payment_due'),
    tax_amount: money('summary.tax_applicable_to_this_payment'),
    claimed_amount: money('total_claimed_amount'),
    retainage_amount: money('summary.total_retainage'),
    percent_complete: 'percent_complete',
    final: 'final',
    kind: 'invoice_type',
    currency: 'currency_configuration.currency_iso_code',
  },
  payment: {
    amount: money('amount'),
    status: { path: 'status', fn: (status: string) => status.trim().toLowerCase() },
    date: 'date',
    check_number: 'check_number',
    invoice_number: 'invoice_number',
    invoice_id: 'requisition_id',
    contract_id: 'contract_id',
    project_id: 'project_id',
    notes: 'notes',
  },
  contract: {
    number: 'number',
    title: 'title',
    description: 'description',
    status: word('status', {
      Draft: 'draft',
      'Out For Bid': 'out_for_bid',
      'Out For Signature': 'pending_approval',
      Approved: 'approved',
      Complete: 'completed',
      Terminated: 'terminated',
      Void: 'void',
      Processing: 'processing',
      Submitted: 'pending_approval',
      'Partially Received': 'in_progress',
      Received: 'completed',
      Closed: 'closed',
    }),
    project_id: 'project.id',
    customer_id: 'vendor.id',
    contract_date: 'contract_date',
    start_date: 'contract_start_date',
    completion_date: 'contract_estimated_completion_date',
    executed_on: 'execution_date',
    amount: money('grand_total'),
    approved_changes: money('approved_change_orders'),
    revised_amount: money('revised_contract'),
    paid_amount: money('total_payments'),
    balance: money('remaining_balance_outstanding'),
    currency: 'currency_configuration.currency_iso_code',
    lines: { path: 'line_items', fn: (lines: JsonObject[]) => morphism(line, lines) },
  },
};

function toB(known: KnownRecords): Readonly<Record<MappedType, Table>> {
  const named = (path: string, type: string, by: 'id' | 'key') => ({
    path,
    fn: (id: string | number | null) =>
      id === null ? '00000000-0000-0000-0000-000000000000' : known.get(`${type} ${id}`)?.[by],
  });
  return {
    invoice: {
      externalDocumentNumber: code('number'),
      status: word('status', statusesOfB),
      orderId: named('contract_id', 'contract', 'id'),
      customerPurchaseOrderReference: named('contract_id', 'contract', 'key'),
      shortcutDimension1Code: named('project_id', 'project', 'key'),
      customerId: named('customer_id', 'customer', 'id'),
      invoiceDate: day('invoice_date'),
      dueDate: day('due_date'),
      totalAmountIncludingTax: amount('amount'),
      totalTaxAmount: amount('tax_amount'),
      totalAmountExcludingTax: {
        path: ['amount', 'tax_amount'],
        fn: ({ amount: gross, tax_amount: tax }: { amount: number; tax_amount: number }) =>
          units(gross - tax),
      },
      currencyCode: 'currency',
    },
    payment: {
      amount: { path: 'amount', fn: (value: number) => -(value / 100) },
      currencyCode: () => 'USD',
      postingDate: day('date'),
      externalDocumentNumber: code('check_number'),
      appliesToInvoiceId: named('invoice_id', 'invoice', 'id'),
      comment: { path: 'notes', fn: (notes: string | null) => notes ?? '' },
    },
    contract: {
      externalDocumentNumber: code('number'),
      status: word('status', statusesOfB),
      shortcutDimension1Code: named('project_id', 'project', 'key'),
      customerId: named('customer_id', 'customer', 'id'),
      orderDate: day('contract_date'),
      requestedDeliveryDate: day('completion_date'),
      totalAmountExcludingTax: amount('amount'),
      currencyCode: 'currency',
      salesOrderLines: { path: 'lines', fn: (lines: JsonObject[]) => morphism(lineOfB, lines) },
    },
  };
}
