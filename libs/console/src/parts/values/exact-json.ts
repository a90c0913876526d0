/** A JSON number that a browser cannot hold as it is written, and its place in the text. */
export interface InexactNumber {
  readonly text: string;
  readonly at: number;
}

/** Strings and numbers of a JSON text. Without the strings, a digit may stand in one. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Digits that a double always keeps; the service refuses numbers with more. */
const KEPT_DIGITS = 15;

/**
 * Numbers of a JSON text with more significant digits than a browser keeps. The service would receive them rounded, so
 * the page asks the person to put them in quotes. Quoted texts are ignored.
 */
export function inexactNumbers(json: string): InexactNumber[] {
  return [...json.matchAll(tokens)].flatMap(({ 0: text, index }) => {
    if (text.startsWith('"')) return [];
    const [mantissa = ''] = text.split(/[eE]/);
    const digits = withoutOuterZeros(mantissa.replace(/[-.]/g, ''));
    return digits.length > KEPT_DIGITS ? [{ text, at: index }] : [];
  });
}

/** Zeros at either end say where the point is, and cost no precision. */
function withoutOuterZeros(digits: string): string {
  let [start, end] = [0, digits.length];
  while (start < end && digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  return digits.slice(start, end);
}

/** A record, or the sentence that says why the text is none. */
export type ReadRecord =
  | { readonly record: Record<string, unknown> }
  | { readonly problem: string; readonly at: number | undefined };

/** The record that a text holds. */
export function readRecord(text: string): ReadRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return {
      problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}`,
      at: undefined,
    };
  }
  if (!isRecord(value)) return { problem: 'A record is a JSON object: { … }', at: 0 };
  const [inexact] = inexactNumbers(text);
  if (inexact === undefined) return { record: value };
  const problem = `${inexact.text} has more digits than a browser keeps. Put it in quotes, or shorten it.`;
  return { problem, at: inexact.at };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON value whose numbers are kept as they are written. */
export type ExactJson =
  | null
  | boolean
  | string
  | ExactNumber
  | readonly ExactJson[]
  | ReadonlyMap<string, ExactJson>;

/** A number, as it is written. */
export class ExactNumber {
  constructor(readonly text: string) {}
}

/**
 * Reads a JSON text without changing its numbers: `1.10` stays `1.10`, and an ID of 19 digits keeps all of them. Members named
 * `__proto__` are members like others.
 *
 * @throws SyntaxError
 */
export function readExactly(json: string): ExactJson {
  // Every string gets a first character that tells it from a number, which becomes a string as well.
  const marked = json.replace(tokens, (token) =>
    token.startsWith('"') ? `"s${token.slice(1)}` : `"n${token}"`,
  );
  return unmarked(JSON.parse(marked));
}

function unmarked(value: unknown): ExactJson {
  if (typeof value === 'string') {
    return value.startsWith('n') ? new ExactNumber(value.slice(1)) : value.slice(1);
  }
  if (Array.isArray(value)) return value.map(unmarked);
  if (typeof value === 'object' && value !== null) {
    return new Map(Object.entries(value).map(([name, member]) => [name.slice(1), unmarked(member)]));
  }
  return value === true ? true : value === false ? false : null;
}

/** The text of a value, indented, with its numbers as they were written. */
export function writeExactly(value: ExactJson, indent = ''): string {
  if (value instanceof ExactNumber) return value.text;
  const deeper = `${indent}  `;
  if (hasMembers(value)) {
    const members = [...value].map(
      ([name, member]) => `${JSON.stringify(name)}: ${writeExactly(member, deeper)}`,
    );
    return enclosed('{', members, '}', indent);
  }
  if (isList(value))
    return enclosed(
      '[',
      value.map((item) => writeExactly(item, deeper)),
      ']',
      indent,
    );
  return JSON.stringify(value);
}

/** Whether a value is an object of JSON. */
export function hasMembers(value: ExactJson | undefined): value is ReadonlyMap<string, ExactJson> {
  return value instanceof Map;
}

/** Whether it is a list. */
export function isList(value: ExactJson | undefined): value is readonly ExactJson[] {
  return Array.isArray(value);
}

function enclosed(open: string, parts: readonly string[], close: string, indent: string): string {
  if (parts.length === 0) return open + close;
  return `${open}\n${parts.map((part) => `${indent}  ${part}`).join(',\n')}\n${indent}${close}`;
}
