import { hash } from 'node:crypto';
import { join } from 'node:path';
import {
  divideHalfEven,
  ExactNumber,
  exponentOf,
  isCurrency,
  mappingOf,
  ownMember,
  sameJson,
  valueAt,
  numberOf,
  minus,
  negated,
  plus,
  times,
  type Decimal,
  type JsonObject,
  type JsonPath,
  type JsonValue,
  type StoredEntityType,
} from '@app/mapper';
import type { Occasion, SimulatedWrite } from '../behaviour';
import { newRecordsFrom } from '../json-files';
import { PayloadDraft } from '../payload-draft';
import { LOCAL_CURRENCY } from './company';

const newRecord = newRecordsFrom(join(__dirname, 'new_records.json'));

const NO_GUID = '00000000-0000-0000-0000-000000000000';

/**
 * How the ERP reacts to a write: codes are trimmed and put in upper case, null becomes the type's default, documents
 * compute their totals from their lines, names and numbers appear beside the keys they belong to, and every change gives
 * a new etag and time.
 */
export function writeToPlatformB(write: SimulatedWrite, occasion: Occasion): JsonObject {
  const { entityType, current, changes } = write;
  const draft = new PayloadDraft(current ?? created(write, occasion));
  for (const { path, value } of changes) {
    draft.setAt(path, value === null ? defaultLike(valueAt(draft.payload, path)) : withLowerCaseKey(value));
  }
  const touched = new Set(changes.map(({ path }) => path.join('.')));
  foldCodes(
    draft,
    write,
    changes.map(({ path }) => path),
  );
  // A write of the present values changes nothing: no new etag, no new time.
  const before = current;
  if (before && changes.every(({ path }) => sameJson(valueAt(draft.payload, path), valueAt(before, path)))) {
    return before;
  }
  showNames(draft, write, touched);
  if (entityType === 'contract' && touched.has('totalAmountExcludingTax'))
    orderTotals(draft, current === undefined, occasion);
  if (entityType === 'invoice' && touched.has('totalAmountIncludingTax'))
    invoiceTotals(draft, current, occasion);
  draft.setAt(
    ['@odata.etag'],
    `W/"${Buffer.from(`19;${occasion.integer(0, 2 ** 47)};00;`).toString('base64')}"`,
  );
  draft.set('lastModifiedDateTime', occasion.now.toISOString());
  return draft.payload;
}

const numberSeries: Readonly<
  Record<StoredEntityType, { readonly field: string; readonly prefix: string } | undefined>
> = {
  project: undefined,
  customer: { field: 'number', prefix: 'C' },
  contract: { field: 'number', prefix: 'S-ORD' },
  invoice: { field: 'number', prefix: 'PS-INV' },
  payment: { field: 'documentNumber', prefix: 'G' },
};

function created({ entityType }: SimulatedWrite, occasion: Occasion): JsonObject {
  const series = numberSeries[entityType];
  return {
    ...newRecord(entityType),
    id: occasion.guid(),
    ...(series && { [series.field]: `${series.prefix}${occasion.integer(200_000, 1_000_000)}` }),
  };
}

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

// The platform takes GUIDs in any case and stores them in lower case.
function withLowerCaseKey(value: JsonValue): JsonValue {
  return typeof value === 'string' && guid.test(value) ? value.toLowerCase() : value;
}

/** The default value that means nothing. Its type follows from the field's present value. */
function defaultLike(value: JsonValue | undefined): JsonValue {
  if (typeof value === 'number' || value instanceof ExactNumber) return 0;
  if (typeof value === 'boolean') return false;
  if (typeof value !== 'string') return '';
  if (guid.test(value)) return NO_GUID;
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return '0001-01-01';
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return '0001-01-01T00:00:00Z';
  return '';
}

/** Codes that have no canonical home, which the mapping therefore does not fold. */
const unmappedCodes: readonly string[] = [
  'documentNumber',
  'salesperson',
  'salespersonCode',
  'shortcutDimension2Code',
];

// The codec reads a code, and writes it in the form in which the server stores it. Only the case and the surrounding
// space may change. A blank code stays blank, whatever it means: a blank currency is the company's own.
function foldCodes(
  draft: PayloadDraft,
  { entityType, variant }: SimulatedWrite,
  paths: readonly JsonPath[],
): void {
  for (const [name = ''] of paths) {
    const code = draft.get(name);
    if (unmappedCodes.includes(name) && typeof code === 'string') draft.set(name, fold(code));
  }
  const mapping = mappingOf('platform_b', entityType, { variant });
  const { data, currency } = mapping.read(draft.payload, {
    inheritedCurrency: LOCAL_CURRENCY,
    localCurrency: LOCAL_CURRENCY,
  });
  const { changes } = mapping.changesOf(mapping.fieldsAt(paths), data, {
    currency,
    localCurrency: LOCAL_CURRENCY,
  });
  const touched = new Set(paths.map((path) => path.join('.')));
  for (const { path, value } of changes) {
    const name = path.join('.');
    const written = draft.get(name);
    if (!touched.has(name) || typeof written !== 'string' || typeof value !== 'string') continue;
    if (written.trim() === '') draft.set(name, '');
    else if (fold(written) === fold(value)) draft.set(name, value);
  }
}

function fold(code: string): string {
  return code.trim().toUpperCase();
}

function showNames(draft: PayloadDraft, { referred }: SimulatedWrite, touched: ReadonlySet<string>): void {
  const show = (path: string, field: string, member: string): void => {
    const record = referred[field];
    draft.setShown(path, (record && ownMember(record, member)) ?? '');
  };
  if (touched.has('customerId')) {
    show('customerNumber', 'customer_id', 'number');
    show('customerName', 'customer_id', 'displayName');
    draft.setShown('billToCustomerId', draft.get('customerId') ?? NO_GUID);
    show('billToCustomerNumber', 'customer_id', 'number');
    show('billToName', 'customer_id', 'displayName');
  }
  if (touched.has('currencyCode')) draft.setShown('currencyId', currencyIdOf(draft.get('currencyCode')));
  if (touched.has('appliesToInvoiceId')) show('appliesToInvoiceNumber', 'invoice_id', 'number');
  if (touched.has('orderId')) show('orderNumber', 'contract_id', 'number');
}

/** Keys of the foreign currencies that the sandbox company has set up; of any other, one made of its code. */
const currencyIds: Readonly<Partial<Record<string, string>>> = {
  AED: 'ae447d1a-c52a-4773-a50d-7ce0de7d0324',
  SAR: 'a92ec107-f8d2-463f-a181-d0c29b80e706',
};

// The local currency has none.
function currencyIdOf(code: JsonValue | undefined): string {
  if (typeof code !== 'string' || ['', LOCAL_CURRENCY].includes(code)) return NO_GUID;
  const digest = hash('sha256', code, 'hex');
  return currencyIds[code] ?? digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

/** An order's amount is without tax; tax follows at the line's rate. */
function orderTotals(draft: PayloadDraft, isNew: boolean, occasion: Occasion): void {
  const excluding = draft.decimal('totalAmountExcludingTax');
  if (isNew) draft.set('salesOrderLines', [newLine(draft, occasion)]);
  const line = draft.onlyLine('salesOrderLines');
  const tax =
    line === undefined ? draft.decimal('totalTaxAmount') : share(excluding, taxPercent(line), draft);
  documentTotals(draft, excluding, tax);
  if (line !== undefined) draft.set('salesOrderLines', [lineOf(line, excluding, tax)]);
}

/** An invoice's amount is with tax; what was paid of it stays paid. */
function invoiceTotals(draft: PayloadDraft, current: JsonObject | undefined, occasion: Occasion): void {
  const including = draft.decimal('totalAmountIncludingTax');
  if (current === undefined) draft.set('salesInvoiceLines', [newLine(draft, occasion)]);
  const line = draft.onlyLine('salesInvoiceLines');
  const before = new PayloadDraft(current ?? {});
  const paid = plus(before.decimal('totalAmountIncludingTax'), negated(before.decimal('remainingAmount')));
  const tax =
    line === undefined ? draft.decimal('totalTaxAmount') : taxWithin(including, taxPercent(line), draft);
  const excluding = minus(including, tax);
  documentTotals(draft, excluding, tax);
  draft.setShown('remainingAmount', numberOf(minus(including, paid)));
  if (line !== undefined) draft.set('salesInvoiceLines', [lineOf(line, excluding, tax)]);
}

function documentTotals(draft: PayloadDraft, excluding: Decimal, tax: Decimal): void {
  draft.setShown('totalAmountExcludingTax', numberOf(excluding));
  draft.setShown('totalTaxAmount', numberOf(tax));
  draft.setShown('totalAmountIncludingTax', numberOf(plus(excluding, tax)));
}

/** The line as a lump sum of the document's amount. */
function lineOf(line: JsonObject, excluding: Decimal, tax: Decimal): JsonObject {
  const draft = new PayloadDraft(line);
  draft.setShown('quantity', 1);
  for (const field of ['unitPrice', 'amountExcludingTax', 'netAmount'])
    draft.setShown(field, numberOf(excluding));
  for (const field of ['totalTaxAmount', 'netTaxAmount']) draft.setShown(field, numberOf(tax));
  for (const field of ['amountIncludingTax', 'netAmountIncludingTax']) {
    draft.setShown(field, numberOf(plus(excluding, tax)));
  }
  return draft.payload;
}

function newLine(document: PayloadDraft, occasion: Occasion): JsonObject {
  return {
    id: occasion.guid(),
    documentId: document.get('id') ?? NO_GUID,
    sequence: 10000,
    lineType: 'Account',
    lineObjectNumber: '',
    description: document.get('externalDocumentNumber') ?? '',
    quantity: 1,
    unitPrice: 0,
    discountAmount: 0,
    discountPercent: 0,
    amountExcludingTax: 0,
    taxPercent: 0,
    totalTaxAmount: 0,
    amountIncludingTax: 0,
    netAmount: 0,
    netTaxAmount: 0,
    netAmountIncludingTax: 0,
  };
}

function taxPercent(line: JsonObject): Decimal {
  return new PayloadDraft(line).decimal('taxPercent');
}

// percent% of an amount, rounded to the currency's minor unit.
function share(amount: Decimal, percent: Decimal, draft: PayloadDraft): Decimal {
  const { units, scale } = times(amount, percent);
  return rounded(units, 100n, scale, draft);
}

// The part of an amount that is tax: amount × percent / (100 + percent).
function taxWithin(amount: Decimal, percent: Decimal, draft: PayloadDraft): Decimal {
  const hundred = 100n * 10n ** BigInt(percent.scale);
  return rounded(amount.units * percent.units, hundred + percent.units, amount.scale, draft);
}

function rounded(numerator: bigint, denominator: bigint, scale: number, draft: PayloadDraft): Decimal {
  const code = draft.get('currencyCode');
  const digits = typeof code === 'string' && isCurrency(code) ? exponentOf(code) : 2;
  return {
    units: divideHalfEven(numerator * 10n ** BigInt(digits), denominator * 10n ** BigInt(scale)),
    scale: digits,
  };
}
