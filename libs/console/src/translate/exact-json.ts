/** A JSON number that a browser cannot hold as it is written, and its place in the text. */
export interface InexactNumber {
  readonly text: string;
  readonly at: number;
}

/** Digits that a double always keeps; the service refuses numbers with more. */
const KEPT_DIGITS = 15;

/**
 * Numbers of a JSON text with more significant digits than a browser keeps. They would reach the service changed, so the page
 * asks for quotes around them. Texts in quotes are passed over.
 */
export function inexactNumbers(json: string): InexactNumber[] {
  const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
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
