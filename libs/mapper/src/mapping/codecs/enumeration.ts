import type { JsonValue } from '../../json/json-value';
import { unfit, type Codec } from '../codec';
import type { ValueSchema } from '../../canonical/schema';

/** The literal of a canonical value on a platform, or null if the platform has no such state. */
export type Literal = string | boolean | null;

/** How a platform spells its enumerated values. */
export interface LiteralForm {
  /** A second form in which literals are compared. Unless given, only the literal itself is compared. */
  readonly fold?: (literal: string) => string;
  /** The platform's form of "nothing", where it is not null. */
  readonly blank?: string;
}

/**
 * An enumerated value: one of a closed set in canonical form, one of an open set of literals on the platform. If
 * several canonical values share a literal, reading gives the first of them. A literal that is not listed reads as
 * `unknown`, and its spelling is kept beside the data for the way back.
 */
export function enumerationCodec<Value extends string>(
  literals: Readonly<Record<Value, Literal>>,
  { fold = (literal) => literal, blank }: LiteralForm = {},
): Codec<Value | 'unknown'> {
  const key = (literal: string | boolean) =>
    typeof literal === 'string' ? `text ${fold(literal)}` : literal;
  const byKey = new Map<string | boolean, Value>();
  // Listed literals as they are listed, which most records have.
  const listed = new Map<string | boolean, Value>();
  const spellings = new Map<string, Literal>();
  for (const value of Object.keys(literals) as Value[]) {
    const literal = literals[value];
    spellings.set(value, literal);
    if (literal === null) continue;
    if (!byKey.has(key(literal))) byKey.set(key(literal), value);
    listed.set(literal, byKey.get(key(literal)) ?? value);
  }
  const truths = typeof [...spellings.values()].find((literal) => literal !== null) === 'boolean';
  const schema: ValueSchema = { type: truths ? 'boolean' : 'string' };
  return {
    schema,
    decode: (wire: JsonValue) => {
      if (wire === null) return null;
      if (typeof wire !== schema.type) throw unfit(schema, wire);
      const literal = wire as string | boolean;
      const value = listed.get(literal) ?? byKey.get(key(literal));
      if (value === undefined && blank !== undefined && key(literal) === key(blank)) return null;
      return value ?? 'unknown';
    },
    encode: (value) => (value === null ? (blank ?? null) : (spellings.get(value) ?? undefined)),
  };
}
