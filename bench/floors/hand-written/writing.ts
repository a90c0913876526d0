import type { JsonValue, Money } from '@app/mapper';
import { exponentsOfCurrencies } from './reading';

/** A record on its way into platform_b. */
export class Written {
  readonly payload: Record<string, JsonValue> = {};
  readonly issues: { readonly path: string; readonly problem: string }[] = [];
}

const NO_DATE = '0001-01-01';
const NO_GUID = '00000000-0000-0000-0000-000000000000';

type Value = JsonValue | undefined;

/** Text of limited length; empty text for null. */
export function writeText(
  written: Written,
  name: string,
  value: Value,
  field: string,
  longest: number,
): void {
  if (value === undefined) return;
  const text = typeof value === 'string' ? value : '';
  if (text.length > longest) written.issues.push({ path: field, problem: 'is too long' });
  else written.payload[name] = text;
}

/** A code: trimmed and in upper case. */
export function writeCode(
  written: Written,
  name: string,
  value: Value,
  field: string,
  longest: number,
): void {
  writeText(written, name, typeof value === 'string' ? value.trim().toUpperCase() : value, field, longest);
}

export function writeDate({ payload }: Written, name: string, value: Value): void {
  if (value !== undefined) payload[name] = value ?? NO_DATE;
}

export function writeWord(
  { payload }: Written,
  name: string,
  value: Value,
  words: ReadonlyMap<string, string>,
): void {
  if (value === undefined) return;
  const word = typeof value === 'string' ? words.get(value) : '_x0020_';
  if (word !== undefined) payload[name] = word;
}

/** An amount as a JSON number in units of its currency, if a double carries all of its digits. */
export function writeMoney(
  written: Written,
  name: string,
  value: Value,
  field: string,
  currency: string | undefined,
  sign: 1 | -1 = 1,
): void {
  if (value === undefined) return;
  if (value === null) {
    written.payload[name] = 0;
    return;
  }
  const money = value as unknown as Money; // It was read as money.
  if (money.currency !== currency) {
    written.issues.push({ path: field, problem: 'is in another currency than the record' });
    return;
  }
  const places = exponentsOfCurrencies.get(currency) ?? 0;
  const digits = String(Math.abs(money.amount));
  if (digits.length > 15 && digits.replace(/0+$/, '').length > 15) {
    written.issues.push({ path: field, problem: 'has more digits than a number carries' });
    return;
  }
  // The nearest double to the decimal: reading text rounds once, as a division might not.
  const padded = digits.padStart(places + 1, '0');
  const number = Number(places === 0 ? padded : `${padded.slice(0, -places)}.${padded.slice(-places)}`);
  written.payload[name] = money.amount === 0 ? 0 : money.amount < 0 ? -sign * number : sign * number;
}

export function writeDecimal({ payload }: Written, name: string, value: Value): void {
  if (value !== undefined) payload[name] = value === null ? 0 : Number(value);
}

/** A reference by ID: left alone where the record does not have it, or its record is not known on this platform. */
export function writeId(
  { payload }: Written,
  name: string,
  reference: TargetReference | null | undefined,
): void {
  if (reference === undefined) return;
  if (reference === null) payload[name] = NO_GUID;
  else if (reference.id !== undefined) payload[name] = reference.id;
}

/** A reference by business key. */
export function writeKey(
  written: Written,
  name: string,
  reference: TargetReference | null | undefined,
  longest: number,
  folded: boolean,
): void {
  if (reference === undefined) return;
  const key = reference === null ? '' : reference.key;
  if (key === undefined) return;
  (folded ? writeCode : writeText)(written, name, key, name, longest);
}

/** How the record that a reference names is named on platform_b. */
export interface TargetReference {
  readonly id: string | undefined;
  readonly key: string | undefined;
}
