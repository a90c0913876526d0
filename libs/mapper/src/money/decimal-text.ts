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

const ZERO = 0x30;
const NINE = 0x39;
const POINT = 0x2e;
const MINUS = 0x2d;

// A double counts this many decimal digits without a gap.
const SURE_DIGITS = 15;

/**
 * Reads plain decimal text of at most 15 digits as a count of units of the given scale: `12.5` with scale 2 is 1250.
 * Most amounts are read this way. Undefined for any other text, including text with more decimals; the general code
 * path reports the problem.
 */
export function shortUnits(text: string, scale: number): number | undefined {
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  const digits = text.length - start;
  if (digits > SURE_DIGITS + 1) return undefined;
  let units = 0;
  let point = -1;
  for (let index = start; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character >= ZERO && character <= NINE) units = units * 10 + (character - ZERO);
    else if (character === POINT && point < 0 && index > start) point = index;
    else return undefined;
  }
  const decimals = point < 0 ? 0 : text.length - point - 1;
  if (digits === 0 || (point < 0 ? digits > SURE_DIGITS : decimals === 0) || decimals > scale)
    return undefined;
  for (let count = decimals; count < scale; count += 1) units *= 10;
  if (!Number.isSafeInteger(units)) return undefined;
  return start === 1 && units !== 0 ? -units : units;
}

/** The text of a count of units, as {@link formatDecimal} writes it, for a count within ±(2^53−1). */
export function formatUnits(units: number, scale: number): string {
  if (scale === 0) return String(units);
  const digits = String(Math.abs(units)).padStart(scale + 1, '0');
  const end = digits.length - scale;
  return `${units < 0 ? '-' : ''}${digits.slice(0, end)}.${digits.slice(end)}`;
}

/**
 * The shortest plain text of plain decimal text: `-012.50` is `-12.5`; undefined if it is none, or is longer than 400
 * characters. Gives what {@link shortestDecimal} gives for what {@link parseDecimalText} reads.
 */
export function shortestText(text: string): string | undefined {
  const { length } = text;
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  if (length > LONGEST || length === start) return undefined;
  let point = length;
  for (let index = start; index < length; index += 1) {
    const character = text.charCodeAt(index);
    if (character >= ZERO && character <= NINE) continue;
    if (character !== POINT || point < length || index === start || index === length - 1) return undefined;
    point = index;
  }
  let from = start;
  while (from < point - 1 && text.charCodeAt(from) === ZERO) from += 1;
  let end = length;
  if (point < length) {
    while (text.charCodeAt(end - 1) === ZERO) end -= 1;
    if (end === point + 1) end = point;
  }
  if (end === from + 1 && text.charCodeAt(from) === ZERO) return '0';
  if (from === start && end === length) return text;
  return `${start === 1 ? '-' : ''}${text.slice(from, end)}`;
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

/** Significant digits of a shortest text: those between its first and its last digit that is no zero. */
export function significantDigitsOf(shortest: string): number {
  let first = -1;
  let last = -1;
  let point = shortest.length;
  for (let index = 0; index < shortest.length; index += 1) {
    const character = shortest.charCodeAt(index);
    if (character === POINT) point = index;
    else if (character > ZERO) {
      if (first < 0) first = index;
      last = index;
    }
  }
  if (first < 0) return 0;
  return last - first + (first < point && point < last ? 0 : 1);
}

/**
 * The shortest plain text of a number that has an exponent, from its JSON token; undefined for any other token, and
 * for one beyond 60 places. Gives what {@link shortestDecimal} gives for what {@link parseNumberToken} reads.
 */
export function shortestOfExponent(token: string): string | undefined {
  if (token.length > LONGEST) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent] = tokenForm.exec(token) ?? [];
  if (exponent === undefined) return undefined;
  const places = Number(exponent);
  if (Math.abs(places) > MOST_PLACES) return undefined;
  const digits = whole + fraction;
  const point = whole.length + places;
  if (point <= 0) return shortestText(`${sign}0.${'0'.repeat(-point)}${digits}`);
  if (point >= digits.length) return shortestText(`${sign}${digits}${'0'.repeat(point - digits.length)}`);
  return shortestText(`${sign}${digits.slice(0, point)}.${digits.slice(point)}`);
}

/** Significant digits of a value: 15 for 999999999999.999, 1 for 1700000. */
export function significantDigits({ units }: Decimal): number {
  const digits = (units < 0n ? -units : units).toString();
  return digits.length - trailingZeros(digits);
}
