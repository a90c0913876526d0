import { decimalOf, numberOf, times, ZERO, type JsonValue } from '@app/mapper';
import { quotient, rounded } from '../model/decimals';
import { NO_GUID } from '../model/field';
import { refusedByRule, unknownCode } from '../odata-error';
import { textOf, type Row } from '../store/row';
import { amountIn, preciseAmount, setLineAmounts, share, UNIT_PLACES } from './amounts';
import { checkUnchanged, type Body } from './body';
import { textIn, type Company, type Draft } from './company';
import type { DocumentKind } from './document-kinds';

/** Lines count in steps of so many, so that others fit between. */
const STEP = 10_000;

/** Adds a line to a document. The document's totals are the caller's to renew. */
export function addLine(company: Company, kind: DocumentKind, document: Row, body: Body): Row {
  const given = body.fields.get('documentId');
  if (typeof given === 'string' && given !== NO_GUID && given !== document.id) {
    throw refusedByRule('The value for "documentId" cannot be modified.');
  }
  const draft = company.blank(kind.lineSet);
  draft.documentId = document.id;
  draft.sequence = sequenceFor(company, kind, document, body.fields.get('sequence'));
  applyLine(company, draft, document, body);
  if (kind.table === 'salesOrders') showOutstanding(draft, body);
  return company.insert(kind.lines, draft);
}

/** Changes a line. */
export function changeLine(company: Company, kind: DocumentKind, document: Row, line: Row, body: Body): Row {
  checkUnchanged(body, line.values, 'documentId', 'The value for "documentId" cannot be modified.');
  checkUnchanged(
    body,
    line.values,
    'sequence',
    'The value for sequence cannot be modified. Delete and insert the line again.',
  );
  checkUnchanged(
    body,
    line.values,
    'lineObjectNumber',
    'The value for "lineObjectNumber" cannot be modified.',
  );
  const draft: Draft = { ...line.values };
  applyLine(company, draft, document, body);
  if (kind.table === 'salesOrders') showOutstanding(draft, body);
  return company.save(kind.lines, line, draft);
}

function sequenceFor(
  company: Company,
  kind: DocumentKind,
  document: Row,
  wanted: JsonValue | undefined,
): number {
  const taken = company.store
    .table(kind.lines)
    .by('documentId', document.id)
    .map(({ values }) => Number(values.sequence));
  if (typeof wanted !== 'number' || wanted === 0) return Math.max(0, ...taken) + STEP;
  if (taken.includes(wanted)) throw refusedByRule('You cannot insert a line because a line already exists.');
  return wanted;
}

// Fields are validated where they stand: the type resets the number, the quantity computes amounts anew.
function applyLine(company: Company, draft: Draft, document: Row, body: Body): void {
  const places = company.places(textOf(document, 'currencyCode'));
  const named = (field: string): boolean => ![undefined, NO_GUID].includes(textOfBody(body, field));
  if (named('itemId') && named('accountId')) {
    throw refusedByRule('Both "itemId" and "accountId" are specified. Specify only one of them.');
  }
  for (const [name, value] of body.fields) {
    switch (name) {
      case 'documentId':
      case 'sequence':
        break;
      case 'lineType':
        if (value !== draft.lineType) setObject(draft, textIn({ value }, 'value'), undefined);
        break;
      case 'itemId':
        if (named(name))
          setObject(draft, 'Item', objectById(company, 'items', value, 'Item does not exist.'));
        break;
      case 'accountId':
        if (named(name)) {
          setObject(draft, 'Account', objectById(company, 'accounts', value, 'Account does not exist.'));
        }
        break;
      case 'lineObjectNumber':
        setObjectNumber(company, draft, value);
        break;
      case 'quantity':
      case 'unitPrice':
        draft[name] = numberOf(rounded(decimalOf(value) ?? ZERO, UNIT_PLACES));
        takeDiscount(draft, places);
        break;
      case 'discountPercent':
        draft[name] = numberOf(rounded(decimalOf(value) ?? ZERO, UNIT_PLACES));
        takeDiscount(draft, places);
        break;
      case 'discountAmount':
        draft[name] = preciseAmount(company, name, value, places);
        draft.discountPercent = numberOf(
          quotient(times(amountIn(draft, name), { units: 100n, scale: 0 }), grossOf(draft), UNIT_PLACES),
        );
        break;
      default:
        draft[name] = value;
    }
  }
  setLineAmounts(draft, places, document.values.pricesIncludeTax === true);
}

function takeDiscount(draft: Draft, places: number): void {
  draft.discountAmount = numberOf(share(grossOf(draft), amountIn(draft, 'discountPercent'), places));
}

function grossOf(draft: Draft): ReturnType<typeof amountIn> {
  return times(amountIn(draft, 'quantity'), amountIn(draft, 'unitPrice'));
}

function setObject(draft: Draft, lineType: string, object: Row | undefined): void {
  draft.lineType = lineType;
  draft.itemId = lineType === 'Item' ? (object?.id ?? NO_GUID) : NO_GUID;
  draft.accountId = lineType === 'Account' ? (object?.id ?? NO_GUID) : NO_GUID;
  draft.lineObjectNumber = object === undefined ? '' : textOf(object, 'number');
  if (object !== undefined && textIn(draft, 'description') === '') {
    draft.description = textOf(object, 'displayName');
  }
}

function setObjectNumber(company: Company, draft: Draft, value: JsonValue): void {
  if (typeof value !== 'string' || value === textIn(draft, 'lineObjectNumber')) return;
  const lineType = textIn(draft, 'lineType');
  if (value === '') {
    setObject(draft, lineType, undefined);
    return;
  }
  if (lineType !== 'Item' && lineType !== 'Account') {
    draft.lineObjectNumber = value;
    return;
  }
  const object = company.numbered(lineType === 'Item' ? 'items' : 'accounts', value);
  if (object === undefined) throw unknownCode('No.', value, lineType === 'Item' ? 'Item' : 'G/L Account');
  setObject(draft, lineType, object);
}

function objectById(company: Company, table: 'items' | 'accounts', id: JsonValue, message: string): Row {
  const object = typeof id === 'string' ? company.store.table(table).get(id) : undefined;
  if (object === undefined) throw refusedByRule(message);
  return object;
}

// What is still to be shipped and invoiced follows the quantity, unless the body says other.
function showOutstanding(draft: Draft, body: Body): void {
  if (!body.fields.has('quantity')) return;
  for (const [outstanding, done] of [
    ['shipQuantity', 'shippedQuantity'],
    ['invoiceQuantity', 'invoicedQuantity'],
  ] as const) {
    if (body.fields.has(outstanding)) continue;
    const quantity = amountIn(draft, 'quantity');
    const taken = amountIn(draft, done);
    draft[outstanding] = numberOf({
      units: quantity.units * 10n ** BigInt(taken.scale) - taken.units * 10n ** BigInt(quantity.scale),
      scale: quantity.scale + taken.scale,
    });
  }
}

function textOfBody(body: Body, field: string): string | undefined {
  const value = body.fields.get(field);
  return typeof value === 'string' ? value : undefined;
}
