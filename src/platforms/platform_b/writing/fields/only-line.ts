import {
  exponentOf,
  isCurrency,
  isJsonArray,
  isJsonObject,
  ownMember,
  decimalOf,
  numberOf,
  minus,
  plus,
  sameDecimal,
  ZERO,
  type Decimal,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import type { DocumentPage } from '../../pages/page';
import { textIn } from '../../pages/compare-fields';
import { hundredAnd, HUNDRED_PERCENT, ONE, scaled } from './decimals';
import { statusMustBeOpen } from './locks';

/** The most decimals of a price. */
const PRICE_PLACES = 5;

/** The number of a first line. Lines count in steps of ten thousand. */
const FIRST_SEQUENCE = 10_000;

/** The write by which a document gets a total: the price of its only line. */
export type LineStep =
  | { readonly kind: 'change'; readonly id: string; readonly etag: string; readonly body: JsonObject }
  | { readonly kind: 'add'; readonly body: JsonObject }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * The write to the only line of a document by which the document gets a total. Pure.
 *
 * @param document the present document, with a discount of the header that the same change sets
 */
export function lineFor(page: DocumentPage, document: JsonObject, total: Decimal): LineStep {
  const lines = ownMember(document, page.lines);
  if (!isJsonArray(lines) || lines.length === 0) {
    if (!isDraft(document)) return { kind: 'refused', reason: statusMustBeOpen(page, document) };
    return { kind: 'add', body: newLine(page, document, total) };
  }
  const [line] = lines;
  if (lines.length > 1 || !isJsonObject(line)) {
    const reason = `${page.total} is the sum of ${lines.length} lines; change those on platform_b`;
    return { kind: 'refused', reason };
  }
  return changedLine(page, document, line, total);
}

/** A new document's only line: a lump sum. */
export function newLine(page: DocumentPage, document: JsonObject, total: Decimal): JsonObject {
  const price = plus(total, decimalAt(document, 'discountAmount'));
  return {
    // With its number, the platform refuses to add the line twice.
    sequence: FIRST_SEQUENCE,
    lineType: 'Account',
    description: textIn(document, 'externalDocumentNumber'),
    quantity: 1,
    unitPrice: numberOf(price),
  };
}

function changedLine(page: DocumentPage, document: JsonObject, line: JsonObject, total: Decimal): LineStep {
  const quantity = decimalAt(line, 'quantity');
  const kept = minus(HUNDRED_PERCENT, decimalAt(line, 'discountPercent'));
  if (kept.units <= 0n) {
    return {
      kind: 'refused',
      reason: 'the only line is discounted whole, so that no price leads to an amount',
    };
  }
  // The line's amount before its own discount, which is its price as a lump sum.
  const gross = scaled(lineAmount(page, document, line, total), HUNDRED_PERCENT, kept, PRICE_PLACES);
  const isLumpSum = sameDecimal(quantity, ONE);
  const target = { id: textIn(line, 'id'), etag: textIn(line, '@odata.etag') };
  if (isLumpSum || isDraft(document)) {
    const body = { ...(!isLumpSum && { quantity: 1 }), unitPrice: numberOf(gross) };
    return { kind: 'change', ...target, body };
  }
  // The quantity of a released document is locked; the price is not.
  const price = quantity.units === 0n ? undefined : scaled(gross, ONE, quantity, PRICE_PLACES);
  if (price === undefined || !sameDecimal(scaled(price, quantity, ONE, PRICE_PLACES), gross)) {
    return { kind: 'refused', reason: statusMustBeOpen(page, document) };
  }
  return { kind: 'change', ...target, body: { unitPrice: numberOf(price) } };
}

/**
 * The line's amount after its own discount and before that of the document, with tax if the document's prices include
 * it.
 */
function lineAmount(page: DocumentPage, document: JsonObject, line: JsonObject, total: Decimal): Decimal {
  const withTax = hundredAnd(decimalAt(line, 'taxPercent'));
  const places = placesOf(document);
  const net =
    page.total === 'totalAmountIncludingTax' ? scaled(total, HUNDRED_PERCENT, withTax, places) : total;
  const amount = plus(net, decimalAt(document, 'discountAmount'));
  if (ownMember(document, 'pricesIncludeTax') !== true) return amount;
  return scaled(amount, withTax, HUNDRED_PERCENT, places);
}

function isDraft(document: JsonObject): boolean {
  return textIn(document, 'status') === 'Draft';
}

function decimalAt(record: JsonObject, name: string): Decimal {
  const value: JsonValue | undefined = ownMember(record, name);
  return decimalOf(value) ?? ZERO;
}

function placesOf(document: JsonObject): number {
  const code = textIn(document, 'currencyCode').trim().toUpperCase();
  return isCurrency(code) ? exponentOf(code) : 2;
}
