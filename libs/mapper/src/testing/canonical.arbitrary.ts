import type { EntityType } from '../canonical/entity-type';
import { fieldsOf } from '../canonical/types';
import type { Field } from '../canonical/field';
import { sameJson, setMember, type JsonObject, type JsonValue } from '../json/json-value';
import { isMoney } from '../money/money';
import { typesOf, type ValueSchema } from '../canonical/schema';
import type { FieldDescription } from '../mapping/describing/description';
import type { EncodeContext } from '../mapping/writing/encode';
import type { Mapping } from '../mapping/mapping';
import { fc } from './property';

/** What a record's values depend on: its currency, and that of the company behind the connection. */
export const inUsd: EncodeContext & { inheritedCurrency: string } = {
  currency: 'USD',
  localCurrency: 'USD',
  inheritedCurrency: 'USD',
};

/** Amounts in the company's local currency, whatever the record's is. */
const localFields = ['credit_limit', 'balance_due'];

/** Fields that are read and never written across: each platform keeps its own, or always says the same. */
export function isSilent({ field, paths }: FieldDescription): boolean {
  return paths.length === 0 || field === 'created_at' || field === 'updated_at';
}

/** A date of the calendar in which construction contracts are dated. */
export const isoDate: fc.Arbitrary<string> = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

/** An instant in UTC with a fraction of any length. */
export const utcInstant: fc.Arbitrary<string> = fc
  .tuple(isoDate, fc.integer({ min: 0, max: 86_399 }), fc.stringMatching(/^(\.[0-9]{1,7})?$/))
  .map(([date, second, fraction]) => {
    const clock = new Date(second * 1000).toISOString().slice(11, 19);
    return `${date}T${clock}${fraction}Z`;
  });

/** The shortest decimal text of a number of at most so many digits. */
export function shortDecimal(digits: number): fc.Arbitrary<string> {
  const limit = 10n ** BigInt(digits) - 1n;
  return fc
    .tuple(fc.bigInt({ min: -limit, max: limit }), fc.integer({ min: 0, max: 9 }))
    .map(([units, scale]) => {
      const text = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
      const point = text.length - scale;
      const fraction = text.slice(point).replace(/0+$/, '');
      const sign = units < 0n ? '-' : '';
      return `${sign}${text.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`;
    });
}

/** Free text of at most so many characters that a platform shows as it was written. */
export function textOf(longest: number): fc.Arbitrary<string> {
  return fc
    .oneof(
      {
        weight: 3,
        arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: Math.min(longest, 40) }),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom('_x0020_', '0001-01-01', 'null', 'Ärger & Söhne', 'خليج', '<p>x</p>'),
      },
    )
    .filter((text) => text !== '' && text.length <= longest);
}

/** A code that its platform neither trims nor puts in upper case, because it is that already. */
export function codeOf(longest: number): fc.Arbitrary<string> {
  return textOf(longest)
    .map((text) => text.trim().toUpperCase().trim())
    .filter((text) => text !== '' && text.length <= longest && text.trim().toUpperCase() === text);
}

// At least one part is there: an address without any is null. The country is a code on some platforms.
const addressOf = (longest: number, hasCode: boolean): fc.Arbitrary<JsonValue> => {
  const part = textOf(Math.min(longest, 10)).filter((text) => !/[\r\n]/.test(text));
  const code = codeOf(Math.min(longest, 10)).filter((text) => !/[\r\n]/.test(text));
  return fc
    .tuple(
      part,
      fc.option(part, { nil: undefined }),
      fc.array(part, { minLength: 3, maxLength: 3 }),
      hasCode ? code : part,
    )
    .map(([line1, line2, [city = null, state = null, postal_code = null], country]) => ({
      line1,
      ...(line2 !== undefined && { line2 }),
      city,
      state,
      postal_code,
      country,
    }));
};

/**
 * A value of a canonical field that a platform can hold as it is: within its lengths, in its form of a code, with no
 * more digits than it carries. Null only where the platform has a form for it that is no value.
 */
export function valueOf(
  entityType: EntityType,
  description: FieldDescription,
  mapping: Mapping,
  context: EncodeContext,
): fc.Arbitrary<JsonValue> {
  const field = fieldsOf(entityType, mapping.own)[description.field];
  if (field === undefined) throw new RangeError(`${entityType} has no field ${description.field}`);
  const value = presentValue(description, field, mapping, context);
  // Where there is no null, a truth value that is cleared is false.
  const isFalse =
    field.schema.type === 'boolean' && mapping.cannotTell(description.field, null, false, context);
  return tellsNull(description) && !isFalse ? fc.option(value, { freq: 8 }) : value;
}

/**
 * Whether the platform has a form of "nothing" that is no value. Numbers have none where there is no null; a blank
 * currency means one; a list of lines is there or not.
 */
function tellsNull({ places: [first], field, members }: FieldDescription): boolean {
  if (field === 'currency' || members !== undefined || first === undefined) return false;
  const types = typesOf(first.schema);
  return !(types.length === 1 && types[0] === 'number');
}

/** The words of a field that a platform has a literal for. */
function sayableWords(field: string, words: readonly string[], mapping: Mapping, context: EncodeContext) {
  return words.filter((word) => mapping.changesOf([field], { [field]: word }, context).changes.length > 0);
}

function presentValue(
  { field: name, places, members }: FieldDescription,
  field: Field<unknown>,
  mapping: Mapping,
  context: EncodeContext,
): fc.Arbitrary<JsonValue> {
  const lengths = places.flatMap(({ schema: { maxLength } }) => maxLength ?? []);
  const longest = lengths.reduce((least, length) => Math.min(least, length), 200);
  const isNumber = places.some(({ schema }) => typesOf(schema)[0] === 'number');
  const { named, format, noun }: ValueSchema = field.schema;
  if (field.values !== undefined)
    return fc.constantFrom(...sayableWords(name, field.values, mapping, context));
  if (named === 'Money') {
    const currency = localFields.includes(name) ? context.localCurrency : context.currency;
    return moneyOf(currency ?? 'USD', isNumber ? 999_999_999_999_999 : Number.MAX_SAFE_INTEGER);
  }
  if (members !== undefined) {
    const line = lineOf(members, context);
    return fc.array(takesLumpSums(name, mapping, context) ? line : line.map(counted), { maxLength: 3 });
  }
  if (format === 'date') return isoDate;
  if (format === 'date-time') return utcInstant;
  if (noun?.startsWith('a decimal')) return shortDecimal(isNumber ? 15 : 30);
  if (field.schema.type === 'integer') return fc.maxSafeInteger();
  if (field.schema.type === 'boolean') return fc.boolean();
  if (noun?.startsWith('an ISO 4217')) return fc.constant(context.currency ?? 'USD');
  if (named === 'Address') {
    const [lower, upper] = ['a', 'A'].map((country) => ({ city: 'A', country }));
    return addressOf(longest, mapping.cannotTell(name, lower ?? null, upper ?? null, context));
  }
  if (places.some(({ schema }) => schema.noun?.includes('slash')))
    return codeOf(10).filter((text) => !text.includes('/'));
  return mapping.cannotTell(name, 'a', 'A', context) ? codeOf(longest) : textOf(longest);
}

// Whether a platform shows a line of no quantity as it was sent.
function takesLumpSums(field: string, mapping: Mapping, context: EncodeContext): boolean {
  const line = { quantity: '0', amount: { amount: 1, currency: context.currency ?? 'USD' } };
  const { payload } = mapping.encode({ [field]: [line] }, context);
  return sameJson(mapping.decode(payload, inUsd).data[field] ?? null, [line]);
}

// A line with an amount has a quantity, where the platform computes the amount of it.
function counted(line: JsonObject): JsonObject {
  return isMoney(line.amount) && (line.quantity ?? '0') === '0' ? { ...line, quantity: '1' } : line;
}

/** Money of a currency, up to a number of minor units. */
export function moneyOf(currency: string, most: number): fc.Arbitrary<JsonValue> {
  return fc.integer({ min: -most, max: most }).map((amount) => ({ amount, currency }));
}

// Lines of the ERP count in steps of ten thousand, and their numbers have no "nothing".
function lineOf(members: readonly FieldDescription[], context: EncodeContext): fc.Arbitrary<JsonObject> {
  const values: Readonly<Record<string, fc.Arbitrary<JsonValue>>> = {
    position: fc.integer({ min: 1, max: 100_000 }),
    description: textOf(90),
    quantity: shortDecimal(12),
    unit_price: shortDecimal(12),
    uom: codeOf(10),
    amount: moneyOf(context.currency ?? 'USD', 999_999_999_999),
    budget_code: codeOf(20),
  };
  return someMembers(
    members.flatMap(({ field }) => {
      const value = Object.hasOwn(values, field) ? values[field] : undefined;
      return value === undefined ? [] : [[field, value] as const];
    }),
  );
}

/** An object with any of some members. */
function someMembers(
  members: readonly (readonly [string, fc.Arbitrary<JsonValue>])[],
): fc.Arbitrary<JsonObject> {
  const absent: fc.Arbitrary<readonly [string, JsonValue] | undefined> = fc.constant(undefined);
  const maybe = members.map(([name, value]) =>
    fc.oneof(
      { weight: 1, arbitrary: absent },
      { weight: 3, arbitrary: value.map((found) => [name, found] as const) },
    ),
  );
  return fc.tuple(...maybe).map((entries): JsonObject => {
    const object: Record<string, JsonValue> = {};
    for (const entry of entries) if (entry !== undefined) setMember(object, ...entry);
    return object;
  });
}

/** Canonical data of any of the fields a platform has and writes, as the platform would return it. */
export function canonicalData(
  entityType: EntityType,
  mapping: Mapping,
  context: EncodeContext,
  only: (field: string) => boolean = () => true,
): fc.Arbitrary<JsonObject> {
  const fields = fieldsOf(entityType, mapping.own);
  return someMembers(
    mapping
      .describe()
      .filter((description) => !isSilent(description) && only(description.field))
      .filter(({ field }) => fields[field]?.refersTo === undefined)
      .map((description) => [description.field, valueOf(entityType, description, mapping, context)] as const),
  );
}
