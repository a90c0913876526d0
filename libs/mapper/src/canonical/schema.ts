import type { JsonValue } from '../json/json-value';

/** The JSON types of a value. */
export type ValueType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';

/**
 * What the values of a codec or of a canonical field look like, as data in the words of JSON Schema. The phrases of
 * errors, the schemas of the API and docs/mappings.md are made from it. It does not say whether `null` is a
 * value as well: for a platform `Platform.blank` does, and for canonical fields it always is.
 */
export interface ValueSchema {
  /** One type, or several that the platform uses for the same value; it writes the first. */
  readonly type: ValueType | readonly ValueType[];
  /** What one such value is called in a sentence, with its article. Without it, the type says so. */
  readonly noun?: string;
  /** A format of JSON Schema. A reader who knows the format needs no example. */
  readonly format?: 'date' | 'date-time' | 'uuid' | 'int64';
  /** Most characters that the platform takes. */
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly multipleOf?: number;
  /** The values of a closed set. */
  readonly values?: readonly string[];
  /** A value that a reader may see; the phrase of an error shows the first. */
  readonly examples?: readonly JsonValue[];
  /** Units and form of the value, in sentences. */
  readonly description?: string;
  /** What the documentation of a field adds behind the phrase, such as a sign that is turned. */
  readonly note?: string;
  /** Name of the schema that describes the members of an object, or the items of a list. */
  readonly named?: 'Money' | 'Address' | 'DocumentLine';
}

const nouns: Readonly<Record<ValueType, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};

/** The types of a schema as a list. */
export function typesOf({ type }: ValueSchema): readonly ValueType[] {
  return typeof type === 'string' ? [type] : type;
}

/** Completes "expected …": `a date such as "2026-02-01"`, `a string of at most 35 characters`. */
export function phraseOf(schema: ValueSchema): string {
  const { noun, format, maxLength, multipleOf, values, examples: [example] = [] } = schema;
  const [first = 'string', ...others] = typesOf(schema);
  if (values !== undefined) return `one of ${values.join(', ')}`;
  return [
    noun ?? nouns[first],
    maxLength !== undefined && (noun === undefined ? ' of' : ','),
    maxLength !== undefined && ` at most ${maxLength} characters${noun === undefined ? '' : ' in all'}`,
    multipleOf !== undefined && ` in steps of ${multipleOf}`,
    // A form that JSON Schema has a name for is one word here; any other phrase needs a comma before the example.
    example !== undefined && `${format === undefined ? ',' : ''} such as ${JSON.stringify(example)}`,
    first === 'number' && others.includes('string') && ', or decimal text',
  ]
    .filter((part) => part !== false)
    .join('');
}
