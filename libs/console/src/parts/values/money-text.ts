import { exponentOf, isCurrency } from '../../../../mapper/src/money/currencies';

/** An amount in minor units, as the API has it. */
export interface Amount {
  readonly amount: number | bigint;
  readonly currency: string;
}

const MINUS = '−';

/** Whether the value of a field is an amount. */
export function isAmount(value: unknown): value is Amount {
  if (typeof value !== 'object' || value === null || !('amount' in value) || !('currency' in value))
    return false;
  const { amount, currency } = value;
  return (typeof amount === 'number' || typeof amount === 'bigint') && typeof currency === 'string';
}

/** Whether an amount is exact. The client reads sums beyond 2^53 as `bigint`; a `number` of that size was rounded. */
export function isExact({ amount }: Amount): boolean {
  return typeof amount === 'bigint' || Number.isSafeInteger(amount);
}

/**
 * An amount in major units, with the decimals of our own currency table: `−1,234.50`. `Intl` uses the decimals of daily
 * use: none for Iraqi dinars, for which ISO 4217 has three.
 *
 * An amount that is not exact, and an amount whose currency is not in the table, is written as it was received.
 */
export function digitsOf(
  money: Amount,
  { sign = 'auto' }: { readonly sign?: 'auto' | 'always' } = {},
): string {
  if (!isExact(money)) return 'too large to show exactly';
  const minor = BigInt(money.amount);
  const prefix = minor < 0n ? MINUS : sign === 'always' && minor > 0n ? '+' : '';
  const digits = (minor < 0n ? -minor : minor).toString();
  if (!isCurrency(money.currency)) return `${prefix}${grouped(digits)} minor units`;
  const decimals = exponentOf(money.currency);
  const padded = digits.padStart(decimals + 1, '0');
  const whole = grouped(padded.slice(0, padded.length - decimals));
  return prefix + (decimals === 0 ? whole : `${whole}.${padded.slice(-decimals)}`);
}

/** The same with its currency, for text: `−1,234.50 USD`. */
export function moneyText(money: Amount): string {
  return `${digitsOf(money)} ${money.currency}`;
}

/** A count with groups of thousands. */
export function countText(count: number): string {
  return (count < 0 ? MINUS : '') + grouped(String(Math.abs(count)));
}

function grouped(digits: string): string {
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return groups.join(',');
}
