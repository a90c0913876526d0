import { ExactNumber, type JsonObject, type JsonValue, type StoredEntityType } from '@app/mapper';
import { behaviourOf, type PortfolioRecord } from '@app/behaviour';
import { withContractTotals, withItemTotals, withSummary } from '../platform_a/totals';
import {
  dueOfInvoice,
  type Contract,
  type Customer,
  type Invoice,
  type Payment,
  type Project,
  type Things,
} from './things';
import { dateOf, stampOf } from './times';

/** The settings of all records of a portfolio. */
export interface Writing {
  readonly things: Things;
  /** The time of the last write. */
  readonly now: Date;
  /** Whether the IDs of platform_a are beyond 2^53. */
  readonly bigIds: boolean;
}

/** The first ID of each kind, so that no two kinds share one. */
const starts = {
  project: 1n,
  customer: 2n,
  contract: 3n,
  invoice: 4n,
  payment: 5n,
  line: 6n,
  item: 7n,
} as const;
const SPAN = 10n ** 9n;
const BEYOND_DOUBLES = 2n ** 53n;

/** The records of platform_a. */
export function recordsOfA(writing: Writing): PortfolioRecord[] {
  const { things } = writing;
  const paid = new Map<Contract, number>();
  const billed = new Map<Contract, number>();
  for (const invoice of things.invoices) {
    if (!isThere(invoice)) continue;
    billed.set(invoice.contract, (billed.get(invoice.contract) ?? 0) + dueOfInvoice(invoice));
  }
  for (const payment of things.payments) {
    if (!isThere(payment)) continue;
    const { contract } = payment.invoice;
    paid.set(contract, (paid.get(contract) ?? 0) + payment.amount);
  }
  const projectsOf = new Map<Customer, Set<Project>>();
  for (const { customer, project, side } of things.contracts) {
    if (customer === undefined || side === 'platform_b') continue;
    projectsOf.set(customer, (projectsOf.get(customer) ?? new Set()).add(project));
  }
  // Invoices read their contracts from here.
  const made = new Map<Contract, JsonObject>();
  const contractOf = (contract: Contract): JsonObject => {
    const known = made.get(contract);
    if (known !== undefined) return known;
    const record = contractRecord(contract, writing, paid.get(contract) ?? 0, billed.get(contract) ?? 0);
    made.set(contract, record);
    return record;
  };
  return [
    ...records('project', things.projects, (project) => projectRecord(project, writing)),
    ...records('customer', things.customers, (customer) =>
      customerRecord(customer, [...(projectsOf.get(customer) ?? [])], writing),
    ),
    ...records('contract', things.contracts, contractOf, ({ kind }) => kind),
    ...records('invoice', things.invoices, (invoice) =>
      requisitionRecord(invoice, contractOf(invoice.contract), writing),
    ),
    ...records('payment', things.payments, (payment) => paymentRecord(payment, writing)),
  ];
}

function records<Made extends { readonly side: string }>(
  entityType: StoredEntityType,
  things: readonly Made[],
  write: (thing: Made) => JsonObject,
  variantOf: (thing: Made) => string | null = () => null,
): PortfolioRecord[] {
  return things
    .filter(isThere)
    .map((thing) => ({ entityType, variant: variantOf(thing), payload: write(thing) }));
}

function isThere({ side }: { readonly side: string }): boolean {
  return side !== 'platform_b';
}

function projectRecord(project: Project, writing: Writing): JsonObject {
  return {
    ...blank('project', project, writing),
    name: project.name,
    display_name: `${project.typedKey} ${project.name}`,
    project_number: project.typedKey,
    active: project.active,
    description: `Construction of ${project.name}`,
    start_date: dateOf(writing, project.index, 700),
    completion_date: dateOf(writing, project.index, -400),
    total_value: '1000000.0',
    stage: 'Course of Construction',
    project_stage: { id: 31, name: 'Course of Construction' },
  };
}

function customerRecord(customer: Customer, projects: readonly Project[], writing: Writing): JsonObject {
  return {
    ...blank('customer', customer, writing),
    name: customer.name,
    company: customer.name,
    legal_name: customer.name,
    is_active: customer.active,
    city: 'Doha',
    country_code: 'QA',
    email_address: `accounts${customer.index + 1}@vendors.example`,
    business_register: { id: customer.index + 1, type: 'ein', identifier: customer.key },
    project_ids: projects.map((project) => idOf('project', project.index, writing)),
  };
}

function contractRecord(contract: Contract, writing: Writing, paid: number, billed: number): JsonObject {
  const { project, customer } = contract;
  return withContractTotals({
    ...blank('contract', contract, writing),
    ...(contract.kind === 'PurchaseOrderContract' ? purchaseOrderFields : {}),
    number: contract.typedKey,
    title: contract.title,
    status: contract.approved ? 'Approved' : 'Draft',
    executed: contract.approved,
    description: `<p>${contract.title}</p>`,
    contract_date: dateOf(writing, contract.index, 500),
    retainage_percent: '10.0',
    project: { id: idOf('project', project.index, writing), name: project.name },
    vendor:
      customer === undefined
        ? null
        : {
            id: idOf('customer', customer.index, writing),
            company: customer.name,
            origin_id: null,
            origin_data: null,
          },
    line_items: contract.lines.map((amount, place) => lineRecord(contract, amount, place, writing)),
    total_payments: `${paid}.0`,
    total_requisitions_amount: `${billed}.0`,
  });
}

const purchaseOrderFields: JsonObject = {
  assignee: null,
  bill_to_address: null,
  ship_to_address: null,
  ship_via: null,
  payment_terms: 'Net 45',
  delivery_date: null,
  billing_schedule_of_values_status: null,
};

/** The number of lines of a contract is below this. */
const MOST_LINES = 10;

function lineRecord(contract: Contract, amount: number, place: number, writing: Writing): JsonObject {
  const text = `${amount}.0`;
  return {
    id: idOf('line', contract.index * MOST_LINES + place, writing),
    position: place + 1,
    description: `${contract.title}, part ${place + 1}`,
    amount: text,
    quantity: '1.0',
    unit_cost: text,
    uom: 'ls',
    total_amount: text,
    extended_amount: text,
    extended_type: 'calculated',
    cost_code: { id: 9900 + place, full_code: `03-${place + 1}00`, name: `Work ${place + 1}` },
    wbs_code: {
      id: 40 + place,
      flat_code: `03-${place + 1}00.S`,
      description: `Work ${place + 1}.Subcontract`,
    },
    tax_code_id: null,
    origin_id: null,
    origin_data: null,
    created_at: stampOf(writing, contract.index, 600),
    updated_at: stampOf(writing, contract.index, 300),
  };
}

function requisitionRecord(invoice: Invoice, contract: JsonObject, writing: Writing): JsonObject {
  const { lines } = invoice.contract;
  const total = lines.reduce((sum, line) => sum + line, 0);
  const raw = blank('invoice', invoice, writing);
  const { summary } = raw;
  return withSummary(
    {
      ...raw,
      project_id: idOf('project', invoice.contract.project.index, writing),
      commitment_id: idOf('contract', invoice.contract.index, writing),
      commitment_type: invoice.contract.kind,
      contract_name: `Contract ${invoice.contract.typedKey}`,
      number: invoice.sequence,
      invoice_number: invoice.typedKey,
      status: invoice.approved ? 'approved' : 'under_review',
      vendor_id: idOf('customer', invoice.customer.index, writing),
      vendor_name: invoice.customer.name,
      requisition_start: dateOf(writing, invoice.index, 331),
      requisition_end: dateOf(writing, invoice.index, 301),
      billing_date: dateOf(writing, invoice.index, 300),
      items: lines.map((line, place) => itemRecord(invoice, line, place, writing)),
      summary: {
        ...(summary as JsonObject),
        completed_work_retainage_percent: '10',
        less_previous_certificates_for_payment: `${(total * invoice.percentBefore * 9) / 1000}.0`,
      },
    },
    contract,
  );
}

function itemRecord(invoice: Invoice, line: number, place: number, writing: Writing): JsonObject {
  const now = (line * invoice.percent) / 100;
  const before = (line * invoice.percentBefore) / 100;
  return withItemTotals({
    id: idOf('item', invoice.index * MOST_LINES + place, writing),
    item_type: 'contract_item',
    line_item_id: idOf('line', invoice.contract.index * MOST_LINES + place, writing),
    cost_code_id: 9900 + place,
    description_of_work: `${invoice.contract.title}, part ${place + 1}`,
    scheduled_value: `${line}.0`,
    work_completed_from_previous_application: `${before}.0`,
    work_completed_this_period: `${now}.0`,
    materials_presently_stored: '0.0',
    work_completed_retainage_from_previous_application: `${before / 10}.0`,
    work_completed_retainage_retained_this_period: `${now / 10}.0`,
    work_completed_retainage_released_this_period: '0.0',
    work_completed_retainage_percent_this_period: '10.0',
    materials_stored_retainage_currently_retained: '0.0',
    comment: null,
    status: invoice.approved ? 'approved' : 'no_action',
    position: place + 1,
  });
}

function paymentRecord(payment: Payment, writing: Writing): JsonObject {
  const { invoice } = payment;
  return {
    ...blank('payment', payment, writing),
    amount: `${payment.amount}.0`,
    status: payment.index % 3 === 0 ? 'pending' : 'paid',
    contract_id: idOf('contract', invoice.contract.index, writing),
    project_id: idOf('project', invoice.contract.project.index, writing),
    requisition_id: idOf('invoice', invoice.index, writing),
    invoice_number: invoice.typedKey,
    check_number: payment.typedKey,
    payment_number: payment.index + 1,
    date: dateOf(writing, payment.index, 200),
    notes: `Payment ${payment.index + 1}`,
  };
}

const blanks = new Map<StoredEntityType, JsonObject>();

// A record as the platform shows it before any field is set, with its own ID and times.
function blank(
  entityType: StoredEntityType,
  { index }: { readonly index: number },
  writing: Writing,
): JsonObject {
  let empty = blanks.get(entityType);
  if (empty === undefined) {
    const write = { entityType, variant: null, current: undefined, changes: [], referred: {} };
    empty = behaviourOf('platform_a').write(write, {
      now: new Date(0),
      integer: (least) => least,
      guid: () => '',
    });
    blanks.set(entityType, empty);
  }
  return {
    ...empty,
    id: idOf(entityType, index, writing),
    created_at: stampOf(writing, index, 600),
    updated_at: stampOf(writing, index, 300),
  };
}

function idOf(kind: keyof typeof starts, index: number, { bigIds }: Writing): JsonValue {
  const id = starts[kind] * SPAN + BigInt(index) + 1n + (bigIds ? BEYOND_DOUBLES : 0n);
  return id < BEYOND_DOUBLES ? Number(id) : new ExactNumber(String(id));
}
