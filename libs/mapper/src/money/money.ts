import { exponentOf, isCurrency } from './currencies';
import {
  formatUnits,
  rescale,
  shortestDecimal,
  shortUnits,
  significantDigits,
  type Decimal,
} from './decimal-text';

/** An amount in minor units (integer, within ±(2^53−1)) of an ISO 4217 currency: 1700 USD is 170000 and "USD". */
export interface Money {
  readonly amount: number;
  readonly currency: string;
}

/** An amount that cannot be held or shown exactly. The message completes a sentence about the value. */
export class AmountError extends Error {}

/**
 * The amount that a decimal number means in a currency. Never rounds.
 *
 * @throws AmountError when the number has more decimals than the currency, or does not fit ±(2^53−1) minor units
 */
export function moneyOf(decimal: Decimal, currency: string, shown: string): Money {
  const minor = rescale(decimal, exponentOf(currency));
  if (minor === undefined) throw new AmountError(`${quote(shown)} has more decimals than ${currency} allows`);
  return minorUnits(minor, currency, shown);
}

/**
 * Money from a count of minor units.
 *
 * @throws AmountError when the count does not fit ±(2^53−1)
 */
export function minorUnits(minor: bigint, currency: string, shown = minor.toString()): Money {
  const amount = Number(minor);
  if (!Number.isSafeInteger(amount)) {
    throw new AmountError(`${quote(shown)} is beyond the largest amount, 2^53-1 minor units of ${currency}`);
  }
  return { amount, currency };
}

/** The amount that short plain decimal text means; undefined where only {@link moneyOf} can tell. */
export function shortMoney(text: string, currency: string): Money | undefined {
  const amount = isCurrency(currency) ? shortUnits(text, exponentOf(currency)) : undefined;
  return amount === undefined ? undefined : { amount, currency };
}

/** Decimal text with the currency's own number of decimals: `1700.00`, JPY `1700`, KWD `1700.000`. */
export function moneyText({ amount, currency }: Money): string {
  return formatUnits(amount, exponentOf(currency));
}

/** Digits that a JSON number carries through any double-based reader unharmed (IEEE 754 DBL_DIG). */
export const SAFE_DIGITS = 15;

/**
 * The amount as a JSON number in major units: 1700.5 for 170050 USD.
 *
 * @throws AmountError when it has more than 15 significant digits, which a reader's double may not hold
 */
export function moneyNumber({ amount, currency }: Money): number {
  const scale = exponentOf(currency);
  // Both are whole numbers that a double holds, so their quotient is the double next to the decimal.
  if (Math.abs(amount) < 10 ** SAFE_DIGITS) return amount === 0 ? 0 : amount / 10 ** scale;
  const decimal = moneyDecimal({ amount, currency });
  if (significantDigits(decimal) > SAFE_DIGITS) {
    throw new AmountError(
      `${quote(shortestDecimal(decimal))} has more than ${SAFE_DIGITS} significant digits, which a JSON number does not carry safely`,
    );
  }
  return Number(shortestDecimal(decimal));
}

/** Whether a value is money in canonical form: exactly `amount`, a safe integer, and `currency`, an ISO 4217 code. */
export function isMoney(value: unknown): value is Money {
  if (typeof value !== 'object' || value === null) return false;
  const { amount, currency } = value as Partial<Record<'amount' | 'currency', unknown>>;
  if (!Number.isSafeInteger(amount) || typeof currency !== 'string' || !isCurrency(currency)) return false;
  return Object.keys(value).length === 2;
}

/** The amount as a decimal number in major units: 12.50 for 1250 USD. */
export function moneyDecimal({ amount, currency }: Money): Decimal {
  return { units: BigInt(amount), scale: exponentOf(currency) };
}

/** Whether two amounts are the same number of minor units of the same currency. */
export function sameMoney(left: Money, right: Money): boolean {
  return left.amount === right.amount && left.currency === right.currency;
}

function quote(shown: string): string {
  return `"${shown.length > 40 ? `${shown.slice(0, 40)}…` : shown}"`;
}
