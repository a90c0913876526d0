import { fc } from '../../../libs/mapper/src/testing/property';

/** A JSON Schema, as far as the API description uses it. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly pattern?: string;
  readonly format?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
}

const DEEPEST = 5;

/** Any JSON value, small. */
export const anyJson: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 2 });

/** Values that a schema describes. Named schemas are looked up in `named`. */
export function arbitraryOf(
  schema: JsonSchema,
  named: Readonly<Record<string, JsonSchema>>,
  depth = 0,
): fc.Arbitrary<unknown> {
  const inner = (one: JsonSchema) => arbitraryOf(one, named, depth + 1);
  if (schema.$ref !== undefined) {
    const found = named[schema.$ref.replace('#/components/schemas/', '')];
    if (found === undefined) throw new Error(`There is no ${schema.$ref}`);
    return arbitraryOf(found, named, depth);
  }
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return fc.oneof(...choices.map(inner));
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return anyJson;
  return fc.oneof(...types.map((type) => ofType(type, schema, depth, inner)));
}

function ofType(
  type: string,
  schema: JsonSchema,
  depth: number,
  inner: (schema: JsonSchema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integers(schema);
    case 'number':
      return fc.oneof(
        fc.integer({ min: -10_000_000, max: 10_000_000 }).map((cents) => cents / 100),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
      );
    case 'string':
      return texts(schema);
    case 'array':
      return depth > DEEPEST ? fc.constant([]) : fc.array(inner(schema.items ?? {}), { maxLength: 3 });
    case 'object':
      return depth > DEEPEST ? fc.constant({}) : objects(schema, inner);
    default:
      throw new Error(`There is no type ${type}`);
  }
}

function integers({ minimum, maximum, multipleOf = 1 }: JsonSchema): fc.Arbitrary<number> {
  const bounded = fc.oneof(
    fc.integer({ min: minimum ?? -1000, max: Math.min(maximum ?? 100_000, 100_000) }),
    fc.maxSafeInteger().filter((value) => value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity)),
  );
  return multipleOf === 1 ? bounded : fc.integer({ min: 0, max: 50 }).map((count) => count * multipleOf);
}

function texts({ pattern, format, maxLength = 30 }: JsonSchema): fc.Arbitrary<string> {
  if (pattern !== undefined) return textMatching(pattern);
  switch (format) {
    case 'date':
      return days.map((day) => day.toISOString().slice(0, 10));
    case 'date-time':
      return days.map((day) => day.toISOString());
    case 'uuid':
      return fc.uuid();
    default:
      return fc.oneof(
        fc.string({ unit: 'grapheme', maxLength }),
        fc.constantFrom('0.00', '12.50', '-1', 'USD', 'QAR', '1823456'),
      );
  }
}

const matching = new Map<string, fc.Arbitrary<string>>();
/** Texts of a pattern. They are kept: fast-check takes its time over each pattern, and a schema is asked for again and again. */
function textMatching(pattern: string): fc.Arbitrary<string> {
  const known = matching.get(pattern);
  if (known !== undefined) return known;
  const made = fc.stringMatching(new RegExp(pattern)).map((text) => text.slice(0, 400));
  matching.set(pattern, made);
  return made;
}

const days = fc.date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true });

function objects(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  inner: (schema: JsonSchema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const members = Object.entries(properties);
  const needed = members.filter(([name]) => required.includes(name));
  const others = members.filter(([name]) => !required.includes(name));
  const arbitrary = (entries: typeof members) =>
    fc.tuple(
      ...entries.map(([name, schema]) => inner(schema).map((value): [string, unknown] => [name, value])),
    );
  const more =
    typeof additionalProperties === 'object'
      ? fc.dictionary(fc.string({ maxLength: 6 }), inner(additionalProperties), { maxKeys: 2 })
      : fc.dictionary(fc.string({ maxLength: 6 }), anyJson, {
          maxKeys: additionalProperties === true ? 2 : 0,
        });
  // A few of the optional ones: all of them at once would hide each other's faults.
  return fc
    .tuple(
      arbitrary(needed),
      fc.subarray(others, { maxLength: Math.min(5, others.length) }).chain(arbitrary),
      more,
    )
    .map(([some, few, unknown]) => ({ ...unknown, ...Object.fromEntries([...few, ...some]) }));
}

/** A value with one thing wrong with it: a member left out, replaced, or in the wrong place. */
export function damaged(value: unknown, depth = 0): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null || depth > 3) return anyJson;
  if (Array.isArray(value))
    return fc.oneof(anyJson, fc.constant([...(value as unknown[]), null]), fc.constant({}));
  const entries = Object.entries(value);
  if (entries.length === 0) return anyJson;
  return fc.constantFrom(...entries).chain(([name, member]: [string, unknown]) =>
    fc.oneof(
      fc.constant(Object.fromEntries(entries.filter(([other]) => other !== name))),
      fc
        .oneof(anyJson, hostileText, damaged(member, depth + 1))
        .map((other) => ({ ...value, [name]: other })),
      hostileText.map((other) => ({ ...value, [other]: member })),
    ),
  );
}

const surrogates = { first: 0xd800, count: 0x800 };
/** Any code points. fast-check's own unit `binary` makes a table of all million of them first, which takes a second. */
const anyText = fc
  .array(
    fc
      .integer({ min: 0, max: 0x10ffff - surrogates.count })
      .map((place) => String.fromCodePoint(place < surrogates.first ? place : place + surrogates.count)),
    { maxLength: 20 },
  )
  .map((points) => points.join(''));

/** Text that trips over something somewhere. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    'a\0b',
    '\ud800',
    '__proto__',
    'constructor',
    'toString',
    "'; drop table customers; --",
    '%s%n',
    '1e400',
    'NaN',
    '\u202e',
    '../../etc/passwd',
    'x'.repeat(5000),
  ),
  anyText,
);
