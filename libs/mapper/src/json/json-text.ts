import { randomBytes } from 'node:crypto';
import { ExactNumber } from './exact-number';
import type { JsonValue } from './json-value';

/** The text is not JSON (RFC 8259). The message says where, and quotes nothing of the text. */
export class JsonTextError extends Error {}

// A number in value position that may not fit a double: many digits, or an exponent.
const suspicious = /(?:^|[:,[\s])-?(?:[\d.]{16,}|[\d.]+[eE])/;
const numberToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

// Marks an exact number while it travels through JSON.parse and JSON.stringify as a string. Random for each
// process, so that no payload can contain it.
const mark = `\u0001exact:${randomBytes(16).toString('hex')}:`;
const quotedMark = JSON.stringify(mark).slice(0, -1);
const markedString = new RegExp(`${quotedMark.replaceAll('\\', '\\\\')}([^"]*)"`, 'g');

/**
 * Parses JSON text. Numbers that a double holds exactly (as decimal values) become numbers, all others
 * {@link ExactNumber}s. Everything else is as JSON.parse has it: the last of two equal members counts, and
 * `__proto__` is an ordinary member.
 *
 * @throws JsonTextError when the text is not JSON
 */
export function parseJsonText(text: string): JsonValue {
  try {
    // Read as it stands first: marking could turn a text that is no JSON (`{1e400: 0}`) into one that is.
    const plain = JSON.parse(text) as JsonValue;
    const marked = suspicious.test(text) ? markInexactNumbers(text) : text;
    if (marked === text) return plain;
    return JSON.parse(marked, (_member, value: unknown) =>
      typeof value === 'string' && value.startsWith(mark) ? new ExactNumber(value.slice(mark.length)) : value,
    ) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonTextError(whereOf(error), { cause: error });
    throw error;
  }
}

/** The JSON text of a value; exact numbers come out as the token they were read from. */
export function stringifyJson(value: unknown): string {
  let marked = false;
  const text = JSON.stringify(value, (_member, member: unknown) => {
    if (!(member instanceof ExactNumber)) return member;
    marked = true;
    return mark + member.token;
  });
  return marked ? text.replace(markedString, '$1') : text;
}

function markInexactNumbers(text: string): string {
  let marked = '';
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
        marked += `${text.slice(copied, position)}${quotedMark}${token}"`;
        copied = position + token.length;
      }
      position += token.length;
    } else {
      position += 1;
    }
  }
  return marked + text.slice(copied);
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

// A token without exponent and with at most 15 digits always survives; IEEE 754 guarantees that much.
function fitsDouble(token: string): boolean {
  if (token.length <= 15 && !/[eE]/.test(token)) return true;
  if (!/\d/.test(token)) return true;
  const double = Number(token);
  return Number.isFinite(double) && decimalValue(token) === decimalValue(String(double));
}

// Digits without leading and trailing zeros, and the power of ten they stand at: equal for equal values.
function decimalValue(token: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}

function whereOf(error: SyntaxError): string {
  const [, position] = /position (\d+)/.exec(error.message) ?? [];
  return position === undefined
    ? 'the text ends too early or is not JSON'
    : `not JSON at position ${position}`;
}
