import {
  decimalOf,
  numberOf,
  minus,
  plus,
  times,
  ZERO,
  type Decimal,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import { compareDecimals, quotient, rounded } from '../model/decimals';
import { refusedByRule } from '../odata-error';
import type { Company, Draft } from './company';

/** Percent as a divisor. */
const HUNDRED: Decimal = { units: 100n, scale: 0 };
/** Prices and quantities have at most so many decimals. */
export const UNIT_PLACES = 5;

/** A field of a draft as a decimal; zero when it has none. */
export function amountIn(values: JsonObject | Draft, field: string): Decimal {
  return decimalOf(values[field]) ?? ZERO;
}

/** So many percent of an amount. */
export function share(amount: Decimal, percent: Decimal, places: number): Decimal {
  return quotient(times(amount, percent), HUNDRED, places);
}

/** The fields of a line that follow from quantity, price, discount and the invoice discount allotted to it. */
export function setLineAmounts(line: Draft, places: number, pricesIncludeTax: boolean): void {
  const percent = amountIn(line, 'taxPercent');
  const gross = minus(
    rounded(times(amountIn(line, 'quantity'), amountIn(line, 'unitPrice')), places),
    amountIn(line, 'discountAmount'),
  );
  const withTax = plus(HUNDRED, percent);
  const amount = pricesIncludeTax ? quotient(times(gross, HUNDRED), withTax, places) : gross;
  const net = minus(amount, amountIn(line, 'invoiceDiscountAllocation'));
  const tax = share(amount, percent, places);
  const netTax = share(net, percent, places);
  line.amountExcludingTax = numberOf(amount);
  line.totalTaxAmount = numberOf(tax);
  line.amountIncludingTax = numberOf(plus(amount, tax));
  line.netAmount = numberOf(net);
  line.netTaxAmount = numberOf(netTax);
  line.netAmountIncludingTax = numberOf(plus(net, netTax));
}

/** The totals of a document are those of its lines. */
export function setTotals(document: Draft, lines: readonly JsonObject[]): void {
  const sum = (field: string): JsonValue => numberOf(plus(...lines.map((line) => amountIn(line, field))));
  document.totalAmountExcludingTax = sum('netAmount');
  document.totalTaxAmount = sum('netTaxAmount');
  document.totalAmountIncludingTax = sum('netAmountIncludingTax');
}

/** Shares of an invoice discount by the lines' amounts; what rounding leaves goes to the last line. */
export function allocationsOf(
  discount: Decimal,
  lines: readonly JsonObject[],
  places: number,
): readonly Decimal[] {
  const amounts = lines.map((line) => amountIn(line, 'amountExcludingTax'));
  const total = plus(...amounts);
  let rest = discount;
  return amounts.map((amount, index) => {
    const part = index === amounts.length - 1 ? rest : quotient(times(discount, amount), total, places);
    rest = minus(rest, part);
    return part;
  });
}

/** An amount at its currency's places. @throws ODataError when it has more, unless they are rounded away */
export function preciseAmount(company: Company, field: string, value: JsonValue, places: number): JsonValue {
  const decimal = decimalOf(value) ?? ZERO;
  const short = rounded(decimal, places);
  if (compareDecimals(short, decimal) === 0) return value;
  if (company.switches.get('overPreciseAmounts') === 'rounded') return numberOf(short);
  throw refusedByRule(`The field ${field} must have no more than ${places} decimal places.`);
}
