import { randomBytes } from 'node:crypto';
import { ExactNumber } from './exact-number';
import { leadingZeros, trailingZeros } from './zeros';
import { setMember, type JsonValue } from './json-value';

/** The text is not JSON (RFC 8259). The message says where, and quotes nothing of the text. */
export class JsonTextError extends Error {}

// A number in value position that may not fit a double: many digits, or an exponent.
const suspicious = /(?:^|[:,[\s])-?(?:[\d.]{16,}|[\d.]+[eE])/;
const numberToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

// Marks an exact number while it travels through JSON.parse and JSON.stringify as a string. Random for each
// process, so that no payload can contain it.
const mark = `\u0001${randomBytes(9).toString('base64url')}:`;
const quotedMark = JSON.stringify(mark).slice(0, -1);
const markedString = new RegExp(`${quotedMark.replaceAll('\\', '\\\\')}([^"]*)"`, 'g');

// Each costs as much as a hundred ordinary characters, and no record of anybody's has as many.
const MOST_EXACT_NUMBERS = 20_000;

/**
 * Parses JSON text. Numbers that a double holds exactly (as decimal values) become numbers, all others
 * {@link ExactNumber}s. Everything else is as JSON.parse has it: the last of two equal members counts, and
 * `__proto__` is an ordinary member.
 *
 * @throws JsonTextError when the text is not JSON, or has more than 20,000 exact numbers
 */
export function parseJsonText(text: string): JsonValue {
  try {
    // The text itself is read first: marking could turn a text that is no JSON (`{1e400: 0}`) into one that is.
    const plain = JSON.parse(text) as JsonValue;
    const marked = suspicious.test(text) ? markInexactNumbers(text) : text;
    if (marked === text) return plain;
    return withExactNumbers(JSON.parse(marked) as JsonValue);
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonTextError(whereOf(error), { cause: error });
    throw error;
  }
}

/** The JSON text of a value; exact numbers come out as the token they were read from. */
export function stringifyJson(value: unknown): string {
  const text = ExactNumber.writtenAs(
    ({ token }) => mark + token,
    () => JSON.stringify(value),
  );
  return text.includes(quotedMark) ? text.replace(markedString, '$1') : text;
}

// The parsed value is ours alone, so the marks are replaced in place. With a list of what is still to be visited,
// depth costs no stack; a reviver of JSON.parse would be called for each member, at several times the cost.
function withExactNumbers(parsed: JsonValue): JsonValue {
  const root = [parsed];
  const waiting: (JsonValue[] | Record<string, JsonValue>)[] = [root];
  for (let holder = waiting.pop(); holder !== undefined; holder = waiting.pop()) {
    if (Array.isArray(holder)) {
      for (let index = 0; index < holder.length; index += 1) {
        const value = holder[index];
        if (value !== undefined) holder[index] = unmarked(value, waiting);
      }
    } else {
      for (const member of Object.keys(holder)) {
        const value = holder[member];
        if (value === undefined) continue;
        const replaced = unmarked(value, waiting);
        if (replaced !== value) setMember(holder, member, replaced);
      }
    }
  }
  return root[0] ?? null;
}

function unmarked(value: JsonValue, waiting: (JsonValue[] | Record<string, JsonValue>)[]): JsonValue {
  if (typeof value === 'string') {
    return value.startsWith(mark) ? new ExactNumber(value.slice(mark.length)) : value;
  }
  // JSON.parse makes plain lists and objects, which may be written into.
  if (typeof value === 'object' && value !== null) {
    waiting.push(value as JsonValue[] | Record<string, JsonValue>);
  }
  return value;
}

function markInexactNumbers(text: string): string {
  const parts: string[] = [];
  let exact = 0;
  let copied = 0;
  let position = 0;
  while (position < text.length) {
    const character = text.charCodeAt(position);
    if (character === 0x22) {
      position = endOfString(text, position);
    } else if (character === 0x2d || (character >= 0x30 && character <= 0x39)) {
      numberToken.lastIndex = position;
      const token = numberToken.exec(text)?.[0] ?? text[position] ?? '';
      if (!fitsDouble(token)) {
        exact += 1;
        if (exact > MOST_EXACT_NUMBERS) {
          throw new JsonTextError(`more than ${MOST_EXACT_NUMBERS} numbers that no double holds`);
        }
        parts.push(text.slice(copied, position), quotedMark, token, '"');
        copied = position + token.length;
      }
      position += token.length;
    } else {
      position += 1;
    }
  }
  if (parts.length === 0) return text;
  parts.push(text.slice(copied));
  return parts.join('');
}

function endOfString(text: string, start: number): number {
  let position = start + 1;
  while (position < text.length) {
    const character = text.charCodeAt(position);
    if (character === 0x5c) position += 2;
    else if (character === 0x22) return position + 1;
    else position += 1;
  }
  return position;
}

// A token without exponent and with at most 15 digits always survives, and so does one whose exponent has a digit or
// two; IEEE 754 guarantees that much.
const certain = /^-?[\d.]{1,15}(?:[eE][+-]?\d{1,2})?$/;

function fitsDouble(token: string): boolean {
  if (certain.test(token)) return true;
  const read = decimalValue(token);
  if (read === undefined) return !/\d/.test(token);
  const double = Number(token);
  return Number.isFinite(double) && read === decimalValue(String(double));
}

// Digits beyond these, and exponents of more digits, are in no double's shortest form.
const MOST_DIGITS = 17;
const LONGEST_EXPONENT = 9;

// Digits without leading and trailing zeros, and the power of ten they are at: equal for equal values. Undefined for a
// number that no double has as its shortest form. Costs no more than reading the token once.
function decimalValue(token: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  const digits = whole + fraction;
  const start = leadingZeros(digits);
  if (start === digits.length) return digits === '' ? undefined : '0';
  const end = digits.length - trailingZeros(digits);
  if (end - start > MOST_DIGITS || exponent.length > LONGEST_EXPONENT) return undefined;
  const power = Number(exponent) - fraction.length + (digits.length - end);
  return `${sign}${digits.slice(start, end)}e${power}`;
}

function whereOf(error: SyntaxError): string {
  const [, position] = /position (\d+)/.exec(error.message) ?? [];
  return position === undefined
    ? 'the text ends too early or is not JSON'
    : `not JSON at position ${position}`;
}
