import { numberOf, type JsonObject } from '@app/mapper';
import { NO_GUID } from '../model/field';
import { refusedByField, refusedByRule } from '../odata-error';
import { textOf, type Row } from '../store/row';
import { allocationsOf, amountIn, setLineAmounts, setTotals } from './amounts';
import { checkedBody, fitRulesOf, type Body } from './body';
import { textIn, type Company, type Draft } from './company';
import { applyHeader } from './document-header';
import { isDraft, type DocumentKind } from './document-kinds';
import { addLine } from './lines';

/** The writable fields of a posted invoice. */
const changeableWhenPosted = new Set(['dueDate', 'promisedPayDate', 'disputeStatus', 'disputeStatusId']);

/** The read-only fields of a released document. */
const lockedWhenReleased = new Set([
  'customerId',
  'customerNumber',
  'billToCustomerId',
  'billToCustomerNumber',
  'currencyId',
  'currencyCode',
  'shipmentMethodId',
  'pricesIncludeTax',
  'requestedDeliveryDate',
  'partialShipping',
]);

const netDays = 30;

/** Creates a draft, with the lines that came inside the body: the whole of it or nothing. */
export function createDocument(company: Company, kind: DocumentKind, body: Body): Row {
  const names = (field: string, blank: string): boolean =>
    ![undefined, blank].some((none) => body.fields.get(field) === none);
  if (!names('customerId', NO_GUID) && !names('customerNumber', '')) {
    throw refusedByRule('A "customerNumber" or a "customerId" must be provided.');
  }
  const draft = company.blank(kind.set);
  draft.number = company.series.next(kind.series);
  draft[kind.documentDate] = company.today();
  draft.postingDate = company.today();
  draft.discountAppliedBeforeTax = true;
  applyHeader(company, draft, body);
  if (kind.table === 'salesInvoices' && !body.fields.has('dueDate')) {
    draft.dueDate = dayAfter(textIn(draft, 'invoiceDate'), netDays);
  }
  const row = company.insert(kind.table, draft);
  const rules = { ...fitRulesOf(company.switches), order: company.switches.get('validationOrder') };
  for (const line of body.parts.get(kind.lines) ?? []) {
    addLine(company, kind, row, checkedBody(kind.lineSet, line, { ...rules, deep: false, letThrough: [] }));
  }
  return recomputed(company, kind, row);
}

/** Changes a document's fields. */
export function updateDocument(company: Company, kind: DocumentKind, row: Row, body: Body): Row {
  checkPosted(row, body);
  if (row.posted !== true && !isDraft(row)) {
    const locked = [...body.fields.keys()].find((field) => lockedWhenReleased.has(field));
    if (locked !== undefined) throw statusMustBeOpen(kind, row);
  }
  const draft: Draft = { ...row.values };
  applyHeader(company, draft, body);
  const changed = company.save(kind.table, row, draft);
  return row.posted === true ? changed : recomputed(company, kind, changed);
}

/** Removes a document with its lines. */
export function removeDocument(company: Company, kind: DocumentKind, row: Row): void {
  if (row.posted === true && company.switches.get('postedInvoiceDelete') === 'refused') {
    throw refusedByRule(
      `You cannot delete posted sales document ${textOf(row, 'number')} because its posting date is in the allowed period.`,
    );
  }
  const lines = linesOf(company, kind, row.id);
  if (lines.some(({ values }) => amountIn(values, 'shippedQuantity').units !== 0n)) {
    throw refusedByRule(`You cannot delete the order line because it is associated with posted shipments.`);
  }
  for (const { id } of lines) company.store.remove(kind.lines, id);
  company.store.remove(kind.table, row.id);
}

/** The lines of a document, in order. */
export function linesOf(company: Company, kind: DocumentKind, id: string): readonly Row[] {
  const lines = [...company.store.table(kind.lines).by('documentId', id)];
  return lines.sort((one, other) => Number(one.values.sequence) - Number(other.values.sequence));
}

/** @throws ODataError when the document is posted and the body holds anything but what such a one takes, or nothing */
function checkPosted(row: Row, body: Body): void {
  if (row.posted !== true) return;
  const fields = [...body.fields.keys()];
  if (fields.length === 0 || fields.some((field) => !changeableWhenPosted.has(field))) throw isPosted();
}

export function isPosted(): Error {
  return refusedByRule('The invoice has been posted and can no longer be modified.');
}

/** The table's word for a draft is "Open", and for one that the page shows as open, "Released". */
export function statusMustBeOpen(kind: DocumentKind, row: Row): Error {
  const current = textOf(row, 'status') === 'In_x0020_Review' ? 'Pending Approval' : 'Released';
  return refusedByField(
    `Status must be equal to 'Open' in Sales Header: Document Type=${kind.word}, No.=${textOf(row, 'number')}. ` +
      `Current value is '${current}'.`,
  );
}

/**
 * The document after its lines or its own fields have changed: new totals and a new etag. The invoice discount stays as
 * it is distributed until a draft is read.
 */
export function recomputed(company: Company, kind: DocumentKind, row: Row): Row {
  if (!company.switches.get('recalculatesOnRead')) return redistributed(company, kind, row);
  return withTotals(company, kind, row, isDraft(row));
}

/** The effect of a read on a draft that was not read since its last change; any other row stays as it is. */
export function read(company: Company, kind: DocumentKind, row: Row): Row {
  if (row.unread !== true || !company.switches.get('recalculatesOnRead')) return row;
  return company.store.transaction(() => redistributed(company, kind, row));
}

function redistributed(company: Company, kind: DocumentKind, row: Row): Row {
  const lines = linesOf(company, kind, row.id);
  const places = company.places(textOf(row, 'currencyCode'));
  const parts = allocationsOf(
    amountIn(row.values, 'discountAmount'),
    lines.map(({ values }) => values),
    places,
  );
  for (const [index, line] of lines.entries()) {
    const part = numberOf(parts[index] ?? { units: 0n, scale: 0 });
    if (line.values.invoiceDiscountAllocation === part) continue;
    const draft: Draft = { ...line.values, invoiceDiscountAllocation: part };
    setLineAmounts(draft, places, row.values.pricesIncludeTax === true);
    company.save(kind.lines, line, draft);
  }
  return withTotals(company, kind, row, false);
}

function withTotals(company: Company, kind: DocumentKind, row: Row, unread: boolean): Row {
  const draft: Draft = { ...row.values };
  const lines = linesOf(company, kind, row.id).map(({ values }): JsonObject => values);
  setTotals(draft, lines);
  if (kind.table === 'salesInvoices') draft.remainingAmount = draft.totalAmountIncludingTax ?? 0;
  return company.save(kind.table, row, draft, unread ? { unread: true } : {});
}

function dayAfter(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}
