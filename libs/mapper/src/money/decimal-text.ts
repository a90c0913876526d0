import { trailingZeros } from '../json/zeros';

/** A decimal number as an integer and the number of its digits behind the point: 12.50 is 1250 and 2. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

const form = /^(-?)(\d+)(?:\.(\d+))?$/;
const tokenForm = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

// Longer texts are no amounts; reading a million digits as one integer would only cost time.
const LONGEST = 400;

// An exponent makes a short token long. A larger or smaller number is no quantity of anything, and a record of ten
// thousand of them would become many times its size.
const MOST_PLACES = 60;

/**
 * Reads plain decimal text (`-12.50`; no exponent, no separators, no plus sign); undefined if it is none, or is
 * longer than 400 characters.
 */
export function parseDecimalText(text: string): Decimal | undefined {
  if (text.length > LONGEST) return undefined;
  const [match, sign, whole = '', fraction = ''] = form.exec(text) ?? [];
  if (match === undefined) return undefined;
  return { units: BigInt(`${sign}${whole}${fraction}`), scale: fraction.length };
}

/**
 * Reads a JSON number token, where an exponent is allowed; undefined if it is none, is longer than 400 characters, or
 * has an exponent beyond 60 in either direction.
 */
export function parseNumberToken(token: string): Decimal | undefined {
  if (token.length > LONGEST) return undefined;
  const [match, sign, whole = '', fraction = '', exponent = '0'] = tokenForm.exec(token) ?? [];
  if (match === undefined || Math.abs(Number(exponent)) > MOST_PLACES) return undefined;
  const units = BigInt(`${sign}${whole}${fraction}`);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 };
}

/** The same value with exactly this scale; undefined when digits other than zero would be cut off. */
export function rescale(decimal: Decimal, scale: number): bigint | undefined {
  if (scale >= decimal.scale) return decimal.units * 10n ** BigInt(scale - decimal.scale);
  const divisor = 10n ** BigInt(decimal.scale - scale);
  return decimal.units % divisor === 0n ? decimal.units / divisor : undefined;
}

/** Plain decimal text with exactly `scale` digits behind the point: (1250n, 2) is `12.50`. */
export function formatDecimal(units: bigint, scale: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** The shortest plain text of a value: no trailing zeros behind the point, no exponent, no negative zero. */
export function shortestDecimal({ units, scale }: Decimal): string {
  const text = formatDecimal(units, scale);
  if (scale === 0) return text;
  const end = text.length - trailingZeros(text);
  return text.slice(0, text[end - 1] === '.' ? end - 1 : end);
}

/** Significant digits of a value: 15 for 999999999999.999, 1 for 1700000. */
export function significantDigits({ units }: Decimal): number {
  const digits = (units < 0n ? -units : units).toString();
  return digits.length - trailingZeros(digits);
}
