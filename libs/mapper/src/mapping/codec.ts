import { ExactNumber } from '../json/exact-number';
import type { JsonValue } from '../json/json-value';

/** The one thing a codec throws: this value does not fit. The message completes "`path`: …". */
export class Unfit extends Error {
  /** Which of several native paths does not fit; where it is not said, the first that is there. */
  readonly path: string | undefined;

  constructor(message: string, options?: { readonly cause?: unknown; readonly path?: string }) {
    super(message, options);
    this.path = options?.path;
  }
}

/** What came of a codec: its value, or why the value does not fit. */
export type Outcome<Value> =
  { readonly value: Value } | { readonly problem: string; readonly path: string | undefined };

/** Runs a codec; an Unfit becomes a problem, anything else rises. */
export function attempt<Value>(run: () => Value): Outcome<Value> {
  try {
    return { value: run() };
  } catch (error) {
    if (error instanceof Unfit) return { problem: error.message, path: error.path };
    throw error;
  }
}

/** Runs a codec for one of several native paths, so that a complaint names that path. */
export function naming<Value>(path: string, run: () => Value): Value {
  const outcome = attempt(run);
  if ('problem' in outcome) throw new Unfit(outcome.problem, { path });
  return outcome.value;
}

/** What a codec may know beside the value. */
export interface ValueContext {
  /** Currency of the record, from its own field or inherited; undefined when its own field names none that exists. */
  readonly currency: string | undefined;
  /** Local currency of the company behind the connection. */
  readonly localCurrency: string;
  /** What a blank currency field means: the local currency, or what the record inherits. Undefined: the record's. */
  readonly blankCurrency?: string | undefined;
  /** Business keys of the records that this one refers to, by canonical field, where they are known. */
  readonly keys?: Readonly<Record<string, string>>;
}

/**
 * How one value is spelt on the wire: a pair of pure functions. Function members are properties, so that the
 * compiler checks their parameters: a codec that cannot write every value of a field does not fit it.
 */
export interface Codec<Value> {
  /** Completes "expected …", in errors and in the documentation of the mappings. */
  readonly expects: string;
  /** The canonical value of a wire value; null for the platform's form of "nothing". Throws {@link Unfit}. */
  readonly decode: (wire: JsonValue, context: ValueContext) => Value | null;
  /** The normal wire form of a value; undefined where the platform has no way to say it. Throws {@link Unfit}. */
  readonly encode: (value: Value | null, context: ValueContext) => JsonValue | undefined;
}

/** Raises the usual complaint of a codec, with the offending value cut short. */
export function unfit(expects: string, wire: JsonValue): Unfit {
  return new Unfit(`expected ${expects}, received ${shown(wire)}`);
}

/** A value as it may stand in a message: JSON, at most 40 characters of it. */
export function shown(value: JsonValue): string {
  if (value instanceof ExactNumber) return cut(value.token);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return cut(JSON.stringify(value));
}

function cut(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
