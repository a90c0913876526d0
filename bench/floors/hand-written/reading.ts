import { currencyCodes, exponentOf, type JsonObject, type JsonValue, type Money } from '@app/mapper';

/** Decimals of each currency. */
export const exponentsOfCurrencies = new Map(currencyCodes.map((code) => [code, exponentOf(code)]));

type Fields = Record<string, JsonValue>;

/** A record of platform_a that is being read: its canonical data, and the spellings that the data would not restore. */
export class Taken {
  readonly data: Fields = {};
  /** Spellings that the canonical value would not restore, by path. */
  literals: Fields | undefined;
  readonly issues: { readonly path: string; readonly problem: string; readonly native: JsonValue }[] = [];

  spelt(path: string, native: JsonValue): void {
    (this.literals ??= {})[path] = native;
  }

  unfit(path: string, problem: string, native: JsonValue): void {
    this.issues.push({ path, problem, native });
  }
}

export function readText(taken: Taken, field: string, native: JsonValue | undefined, path: string): void {
  if (native === undefined) return;
  if (native === null) taken.data[field] = null;
  else if (typeof native !== 'string') taken.unfit(path, 'expected a string', native);
  else if (native === '') {
    taken.data[field] = null;
    taken.spelt(path, native);
  } else taken.data[field] = native;
}

export function readDate(taken: Taken, field: string, native: JsonValue | undefined, path: string): void {
  if (native === undefined) return;
  if (native === null) taken.data[field] = null;
  else if (native === '') {
    taken.data[field] = null;
    taken.spelt(path, native);
  } else if (typeof native === 'string' && isDate(native)) taken.data[field] = native;
  else taken.unfit(path, 'expected a date YYYY-MM-DD', native);
}

const dateForm = /^\d{4}-\d\d-\d\d$/;
const monthLengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  if (!dateForm.test(text)) return false;
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  const day = Number(text.slice(8));
  if (month < 1 || month > 12 || day < 1 || day > (monthLengths[month - 1] ?? 0)) return false;
  return month !== 2 || day < 29 || (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0));
}

const instantForm = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** An instant is read and kept whole, since each platform keeps its own. */
export function readInstant(taken: Taken, field: string, native: JsonValue | undefined, path: string): void {
  if (native === undefined) return;
  if (native === null || native === '') taken.data[field] = null;
  else {
    const [match, day = '', , fraction = '', zone] =
      (typeof native === 'string' && instantForm.exec(native)) || [];
    if (match === undefined || !isDate(day)) taken.unfit(path, 'expected an instant', native);
    else if (zone === 'Z') taken.data[field] = match;
    else {
      const seconds = `${match.slice(0, 19)}${zone}`;
      taken.data[field] = new Date(seconds).toISOString().replace(/\.\d+Z$/, `${fraction}Z`);
    }
  }
}

const decimalForm = /^(-?)(\d+)(?:\.(\d+))?$/;

/** Exact minor units of decimal text: digits are moved, never computed with. */
export function readMoney(
  taken: Taken,
  field: string,
  native: JsonValue | undefined,
  currency: string | undefined,
  path: string,
): void {
  if (native === undefined) return;
  if (native === null) {
    taken.data[field] = null;
    return;
  }
  const [match, sign = '', whole = '', fraction = ''] =
    (typeof native === 'string' && decimalForm.exec(native)) || [];
  if (match === undefined) return taken.unfit(path, 'expected decimal text', native);
  if (currency === undefined)
    return taken.unfit(path, 'is an amount in a currency that is not known', native);
  const places = exponentsOfCurrencies.get(currency) ?? 0;
  let minor = fraction;
  if (fraction.length > places) {
    for (let index = places; index < fraction.length; index++) {
      if (fraction.charCodeAt(index) !== ZERO) return taken.unfit(path, 'has too many decimals', native);
    }
    minor = fraction.slice(0, places);
  } else if (fraction.length < places) minor = fraction.padEnd(places, '0');
  const amount = Number(`${sign}${whole}${minor}`);
  if (!Number.isSafeInteger(amount)) return taken.unfit(path, 'is beyond the largest amount', native);
  // Minus zero is zero.
  const money = { amount: amount === 0 ? 0 : amount, currency };
  taken.data[field] = money;
  if (native !== moneyText(money, places)) taken.spelt(path, native);
}

const ZERO = 48;

function moneyText({ amount }: Money, places: number): string {
  const digits = String(Math.abs(amount)).padStart(places + 1, '0');
  const sign = amount < 0 ? '-' : '';
  return places === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** A percentage as the shortest decimal text. */
export function readPercent(taken: Taken, field: string, native: JsonValue | undefined, path: string): void {
  const shortest = readDecimal(
    taken,
    field,
    typeof native === 'string' ? native.replace(/%$/, '') : native,
    path,
  );
  if (shortest !== undefined && shortest !== native) taken.spelt(path, native ?? null);
}

/** Returns the text that was read. */
export function readDecimal(
  taken: Taken,
  field: string,
  native: JsonValue | undefined,
  path: string,
): string | undefined {
  if (native === undefined) return undefined;
  if (native === null) {
    taken.data[field] = null;
    return undefined;
  }
  const [match, sign = '', whole = '', fraction = ''] =
    (typeof native === 'string' && decimalForm.exec(native)) || [];
  if (match === undefined) {
    taken.unfit(path, 'expected decimal text', native);
    return undefined;
  }
  const integer = whole.replace(/^0+(?=\d)/, '');
  const decimals = fraction.replace(/0+$/, '');
  const digits = decimals === '' ? integer : `${integer}.${decimals}`;
  const text = digits === '0' ? '0' : `${sign}${digits}`;
  taken.data[field] = text;
  return text;
}

export function readInteger(taken: Taken, field: string, native: JsonValue | undefined, path: string): void {
  if (native === undefined) return;
  if (native === null) taken.data[field] = null;
  else {
    const value = typeof native === 'string' && /^-?\d{1,16}$/.test(native) ? Number(native) : native;
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
      return taken.unfit(path, 'expected an integer', native);
    }
    taken.data[field] = value;
    if (value !== native) taken.spelt(path, native);
  }
}

export function readTruth(taken: Taken, field: string, native: JsonValue | undefined, path: string): void {
  if (native === undefined) return;
  if (native === null || typeof native === 'boolean') taken.data[field] = native;
  else taken.unfit(path, 'expected true or false', native);
}

/** A word of an open set. An unknown word is kept in its spelling. */
export function readWord(
  taken: Taken,
  field: string,
  native: JsonValue | undefined,
  words: ReadonlyMap<string, string>,
  path: string,
): void {
  if (native === undefined) return;
  if (native === null) taken.data[field] = null;
  else if (typeof native !== 'string') taken.unfit(path, 'expected a string', native);
  else {
    const word = words.get(native);
    taken.data[field] = word ?? 'unknown';
    if (word === undefined) taken.spelt(path, native);
  }
}

/** The currency that a record names, or that it inherits. */
export function currencyOf(
  native: JsonValue | undefined,
  inherited: string,
): { readonly currency: string | undefined; readonly namesCurrency: boolean } {
  if (native === undefined || native === null) return { currency: inherited, namesCurrency: false };
  if (typeof native !== 'string') return { currency: undefined, namesCurrency: true };
  const code = native.trim().toUpperCase();
  if (code === '') return { currency: inherited, namesCurrency: false };
  return { currency: exponentsOfCurrencies.has(code) ? code : undefined, namesCurrency: true };
}

export function readCurrency(
  taken: Taken,
  native: JsonValue | undefined,
  currency: string | undefined,
  path: string,
): void {
  if (native === undefined) return;
  if (currency === undefined) return taken.unfit(path, 'expected an ISO 4217 code', native);
  taken.data['currency'] = currency;
  if (native !== currency) taken.spelt(path, native);
}

/** A native ID: a safe integer or text; undefined for any other value. */
export function readId(taken: Taken, native: JsonValue | undefined, path: string): string | null | undefined {
  if (native === undefined || native === null) return native;
  if (typeof native === 'number' && Number.isSafeInteger(native)) return String(native);
  if (typeof native === 'string' && native !== '') return native;
  taken.unfit(path, 'expected an integer ID', native);
  return undefined;
}

/** The nested object at a member; an empty one where there is none. */
export function objectAt(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}
