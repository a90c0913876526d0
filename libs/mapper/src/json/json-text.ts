import { randomBytes } from 'node:crypto';
import { ExactNumber } from './exact-number';
import { leadingZeros, trailingZeros } from './zeros';
import { setMember, type JsonValue } from './json-value';

/** The text is not JSON (RFC 8259). The message says where, and quotes nothing of the text. */
export class JsonTextError extends Error {}

const numberToken = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const beforeColon = /[ \t\n\r]*:/y;

// A double holds every decimal number of so many digits.
const SURE_DIGITS = 15;

// Marks an exact number while it travels through JSON.parse and JSON.stringify as a string. Random for each
// process, so that no payload can contain it.
const mark = `\u0001${randomBytes(9).toString('base64url')}:`;
const quotedMark = JSON.stringify(mark).slice(0, -1);
// oxlint-disable-next-line eslint-js/no-restricted-syntax -- the mark begins with a quote, which the class behind it excludes: linear
const markedString = new RegExp(`${quotedMark.replaceAll('\\', '\\\\')}([^"]*)"`, 'g');

const MARK_BEGIN = mark.charCodeAt(0);

// Characters that marking a number adds: in front of it, and a quote behind.
const MARK_LENGTH = quotedMark.length + 1;

// Each costs as much as a hundred ordinary characters, and no real record has as many.
const MOST_EXACT_NUMBERS = 20_000;

// Characters of one number. Each is matched and copied several times, and no record has a number of so many.
const LONGEST_NUMBER = 2 * 1024 * 1024;

/**
 * Parses JSON text. Numbers that a double holds exactly (as decimal values) become numbers, all others
 * {@link ExactNumber}s. Everything else is as in JSON.parse: the last of two equal members counts, and `__proto__` is
 * an ordinary member.
 *
 * @throws JsonTextError when the text is not JSON, has more than 20,000 numbers that no double holds as they are
 *   written, or a number of more than 2 MB
 */
export function parseJsonText(text: string): JsonValue {
  let marks: readonly number[] = [];
  try {
    const { text: marked, places } = mayNeedMarks(text) ? markInexactNumbers(text) : { text, places: [] };
    marks = places;
    const parsed = JSON.parse(marked) as JsonValue;
    return places.length === 0 ? parsed : withExactNumbers(parsed);
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonTextError(whereOf(error, marks), { cause: error });
    throw error;
  }
}

/** The JSON text of a value; exact numbers come out as the token they were read from. */
export function stringifyJson(value: unknown): string {
  let isMarked = false;
  const text = ExactNumber.writtenAs(
    ({ token }) => {
      isMarked = true;
      return mark + token;
    },
    () => JSON.stringify(value),
  );
  return isMarked ? text.replace(markedString, '$1') : text;
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
      for (const member in holder) {
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
    return value.charCodeAt(0) === MARK_BEGIN && value.startsWith(mark)
      ? new ExactNumber(value.slice(mark.length))
      : value;
  }
  // JSON.parse makes plain lists and objects, which may be written into.
  if (typeof value === 'object' && value !== null) {
    waiting.push(value as JsonValue[] | Record<string, JsonValue>);
  }
  return value;
}

/** A text with its exact numbers marked, and where in the marked text each mark begins. */
interface Marked {
  readonly text: string;
  readonly places: readonly number[];
}

// Whether the text may contain a number that a double does not hold: one with a long exponent, or with many digits.
// Strings that look like such numbers do not count. Each of the two searches costs a fraction of parsing.
function mayNeedMarks(text: string): boolean {
  return hasLongExponent(text) || hasLongNumber(text);
}

const BACKSLASH = 0x5c;
const MINUS = 0x2d;

// A number with few digits and an exponent of one or two digits is far from a double's limits (see `certain`). The
// longer pattern is also faster, because hexadecimal identifiers often have digits before an `e`.
const longExponents = /\d[eE][-+]?\d\d\d/g;

function hasLongExponent(text: string): boolean {
  longExponents.lastIndex = 0;
  for (let found = longExponents.exec(text); found !== null; found = longExponents.exec(text)) {
    if (isValue(text, found.index)) return true;
  }
  return false;
}

// Looks at every sixteenth character only, because any sixteen digits and points in a row have one of them.
function hasLongNumber(text: string): boolean {
  const run = SURE_DIGITS + 1;
  for (let position = run - 1; position < text.length; position += run) {
    if (!isDigitOrPoint(text.charCodeAt(position))) continue;
    const start = startOfDigits(text, position);
    let end = position + 1;
    while (isDigitOrPoint(text.charCodeAt(end))) end += 1;
    if (end - start >= run && isValue(text, start)) return true;
    position = end - 1;
  }
  return false;
}

// Whether the digits at a position may be a value, or a part of one, judged by the character in front of them. At the
// beginning of the text that is an empty string, which comes before a blank.
function isValue(text: string, position: number): boolean {
  let before = startOfDigits(text, position) - 1;
  if (text.charCodeAt(before) === MINUS) before -= 1;
  return ':,['.includes(text.charAt(before)) || text.charAt(before) <= ' ';
}

function startOfDigits(text: string, position: number): number {
  let start = position;
  while (isDigitOrPoint(text.charCodeAt(start - 1))) start -= 1;
  return start;
}

function isDigitOrPoint(character: number): boolean {
  return isDigit(character) || character === 0x2e;
}

function markInexactNumbers(text: string): Marked {
  const parts: string[] = [];
  const places: number[] = [];
  let uncertain = 0;
  let copied = 0;
  let position = 0;
  while (position < text.length) {
    const character = text.charCodeAt(position);
    if (character === 0x22) {
      position = endOfString(text, position);
    } else if (character === 0x2d || isDigit(character)) {
      const end = endOfNumber(text, position);
      if (end - position > LONGEST_NUMBER) throw new JsonTextError('a number is too long');
      const token = isShortDecimal(text, position, end) ? undefined : text.slice(position, end);
      if (token !== undefined && !isCertain(token)) {
        uncertain += 1;
        if (uncertain > MOST_EXACT_NUMBERS) {
          throw new JsonTextError(`more than ${MOST_EXACT_NUMBERS} numbers that no double holds as written`);
        }
        // Marking must not turn a text that is no JSON (`{1e400: 0}`, `[01e400]`) into one that is.
        if (numberToken.test(token) && !fitsDouble(token) && !namesMember(text, end)) {
          places.push(position + places.length * MARK_LENGTH);
          parts.push(text.slice(copied, position), quotedMark, token, '"');
          copied = end;
        }
      }
      position = end;
    } else {
      position += 1;
    }
  }
  parts.push(text.slice(copied));
  return { text: parts.join(''), places };
}

function isDigit(character: number): boolean {
  return character >= 0x30 && character <= 0x39;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end += 1) {
    const character = text.charCodeAt(end);
    // Digits, `+`, `-`, `.`, `E`, `e`.
    if (isDigit(character)) continue;
    if (character !== 0x2b && character !== 0x2d && character !== 0x2e && (character | 0x20) !== 0x65) break;
  }
  return end;
}

// Most numbers are short and have no exponent. This finds out without creating a string.
function isShortDecimal(text: string, start: number, end: number): boolean {
  if (end - start > SURE_DIGITS) return false;
  for (let position = start + 1; position < end; position += 1) {
    if ((text.charCodeAt(position) | 0x20) === 0x65) return false;
  }
  return true;
}

function namesMember(text: string, end: number): boolean {
  beforeColon.lastIndex = end;
  return beforeColon.test(text);
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end + 1;
}

function isEscaped(text: string, position: number): boolean {
  let before = position - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (position - before) % 2 === 0;
}

// IEEE 754 guarantees that a double keeps a number of 15 digits whose exponent is far from its limits. A token that
// JavaScript would write for its double is exact too.
const certain = /^-?[\d.]{1,15}(?:[eE][+-]?(?:\d{1,2}|1\d\d|2[0-8]\d))?$/;

function isCertain(token: string): boolean {
  return certain.test(token) || String(Number(token)) === token;
}

function fitsDouble(token: string): boolean {
  const double = Number(token);
  return Number.isFinite(double) && decimalValue(token) === decimalValue(String(double));
}

// The digits without leading and trailing zeros, and their power of ten, as a text that is equal for equal values. The
// time is linear in the length of the token.
function decimalValue(token: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  const digits = whole + fraction;
  const start = leadingZeros(digits);
  if (start === digits.length) return '0';
  const end = digits.length - trailingZeros(digits);
  const power = Number(exponent) - fraction.length + (digits.length - end);
  return `${sign}${digits.slice(start, end)}e${power}`;
}

function whereOf(error: SyntaxError, marks: readonly number[]): string {
  const [, position] = /position (\d+)/.exec(error.message) ?? [];
  if (position === undefined) return 'the text ends too early or is not JSON';
  const before = marks.filter((place) => place < Number(position)).length;
  return `not JSON at position ${Number(position) - before * MARK_LENGTH}`;
}
