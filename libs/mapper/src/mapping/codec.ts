import { ExactNumber } from '../json/exact-number';
import type { JsonValue } from '../json/json-value';
import { cutText } from '../json/storable-text';
import { phraseOf, type ValueSchema } from '../canonical/schema';

/** The one thing a codec throws: this value does not fit. The message completes "`path`: …". */
export class Unfit extends Error {
  /** Which of several native paths does not fit; if undefined, the first one that has a value. */
  readonly path: string | undefined;

  constructor(message: string, options?: { readonly cause?: unknown; readonly path?: string }) {
    // An Unfit is an outcome, and a record may have many. Recording where each was made costs more than decoding.
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = limit;
    this.path = options?.path;
  }
}

/** The result of a codec: a value, or why the value does not fit. */
export type Outcome<Value> =
  | { readonly value: Value }
  | { readonly problem: string; readonly path: string | undefined };

/** Runs a codec; an Unfit becomes a problem, anything else rises. */
export function attempt<Value>(run: () => Value): Outcome<Value> {
  try {
    return { value: run() };
  } catch (error) {
    if (error instanceof Unfit) return { problem: error.message, path: error.path };
    throw error;
  }
}

/** The problem of a value, from what its codec has thrown; anything but an Unfit rises. */
export function unfitFrom(error: unknown): Unfit {
  if (error instanceof Unfit) return error;
  throw error;
}

/** Runs a codec for one of several native paths, so that a complaint names that path. */
export function naming<Value>(path: string, run: () => Value): Value {
  const outcome = attempt(run);
  if ('problem' in outcome) throw new Unfit(outcome.problem, { path });
  return outcome.value;
}

/** The facts about a record by which a codec reads and writes a value. */
export interface ValueContext {
  /** Currency of the record, from its own field or inherited; undefined when its own field names none that exists. */
  readonly currency: string | undefined;
  /** Local currency of the company behind the connection. */
  readonly localCurrency: string;
  /** What a blank currency field means: the local currency, or what the record inherits. Undefined: the record's. */
  readonly blankCurrency?: string | undefined;
  /** The same for a record without the currency field. */
  readonly absentCurrency?: string | undefined;
  /** Business keys of the records that this one refers to, by canonical field, where they are known. */
  readonly keys?: Readonly<Record<string, string>>;
}

/** For codecs that depend on the value alone, such as those of IDs. */
export const withoutContext: ValueContext = { currency: undefined, localCurrency: '' };

/**
 * How one value is spelt on the wire: a pair of pure functions, and what the wire form looks like. Function members
 * are properties, so that the compiler checks their parameters: a codec that cannot write every value of a field does
 * not fit it.
 */
export interface Codec<Value> {
  readonly schema: ValueSchema;
  /** The canonical value of a wire value; null for the platform's form of "nothing". Throws {@link Unfit}. */
  readonly decode: (wire: JsonValue, context: ValueContext) => Value | null;
  /** The normal wire form of a value; undefined where the platform has no way to say it. Throws {@link Unfit}. */
  readonly encode: (value: Value | null, context: ValueContext) => JsonValue | undefined;
}

/** The complaint of a codec that expected another form, with the offending value cut short. */
export function unfit(expected: ValueSchema, wire: JsonValue): Unfit {
  return new Unfit(`expected ${phraseOf(expected)}, received ${shown(wire)}`);
}

const SHOWN = 40;

/** A value as it may appear in a message: JSON, at most 40 characters of it. */
export function shown(value: JsonValue): string {
  if (value instanceof ExactNumber) return cut(value.token);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  // Text is cut before it is quoted, so that a message costs as much for a long value as for a short one.
  return cut(JSON.stringify(typeof value === 'string' ? value.slice(0, SHOWN + 1) : value));
}

function cut(text: string): string {
  return text.length > SHOWN ? `${cutText(text, SHOWN)}…` : text;
}
