import type { JsonValue } from '../../json/json-value';
import { unfit, type Codec } from '../codec';
import type { ValueSchema } from '../../canonical/schema';

/** The literal of a canonical word on a platform, or null if the platform has no such state. */
export type Literal = string | boolean | null;

/** How a platform spells its words. */
export interface WordForm {
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
export function wordsCodec<Word extends string>(
  literals: Readonly<Record<Word, Literal>>,
  { fold = (literal) => literal, blank }: WordForm = {},
): Codec<Word | 'unknown'> {
  const key = (literal: string | boolean) =>
    typeof literal === 'string' ? `text ${fold(literal)}` : literal;
  const words = new Map<string | boolean, Word>();
  // Listed literals as they are listed, which most records have.
  const listed = new Map<string | boolean, Word>();
  const spellings = new Map<string, Literal>();
  for (const word of Object.keys(literals) as Word[]) {
    const literal = literals[word];
    spellings.set(word, literal);
    if (literal === null) continue;
    if (!words.has(key(literal))) words.set(key(literal), word);
    listed.set(literal, words.get(key(literal)) ?? word);
  }
  const truths = typeof [...spellings.values()].find((literal) => literal !== null) === 'boolean';
  const schema: ValueSchema = { type: truths ? 'boolean' : 'string' };
  return {
    schema,
    decode: (wire: JsonValue) => {
      if (wire === null) return null;
      if (typeof wire !== schema.type) throw unfit(schema, wire);
      const literal = wire as string | boolean;
      const word = listed.get(literal) ?? words.get(key(literal));
      if (word === undefined && blank !== undefined && key(literal) === key(blank)) return null;
      return word ?? 'unknown';
    },
    encode: (value) => (value === null ? (blank ?? null) : (spellings.get(value) ?? undefined)),
  };
}
