import { isJsonObject, type JsonValue } from '../json/json-value';
import { phraseOf, type ValueSchema } from './schema';
import {
  currencySchema,
  dateSchema,
  decimalTextSchema,
  integerSchema,
  linesSchema,
  timestampSchema,
  truthSchema,
} from './schemas';
import { parseDecimalText } from '../money/decimal-text';
import { isCurrency } from '../money/currencies';
import { isMoney, type Money } from '../money/money';
import { isIsoDate } from './calendar';
import { withArticle, type EntityType } from './entity-type';

/** What the values of a field are, in one word. */
export const fieldTypes = [
  'text',
  'decimal',
  'money',
  'integer',
  'boolean',
  'date',
  'time',
  'one_of',
  'reference',
  'currency',
  'address',
  'lines',
] as const;
export type FieldType = (typeof fieldTypes)[number];

/** What a number counts. Money is an integer of minor units of the currency that it names. */
export const fieldUnits = ['minor_units', 'percent', 'hours', 'minutes', 'days'] as const;
export type FieldUnit = (typeof fieldUnits)[number];

/** One field of a canonical type: what it means, and what its values look like. */
export interface Field<Value> {
  readonly type: FieldType;
  readonly description: string;
  /** What the number counts; absent where it has no unit, or another field names it. */
  readonly unit?: FieldUnit;
  /** What its values look like; each may be null as well. */
  readonly schema: ValueSchema;
  /** Completes "expected …" in errors: the schema's phrase. */
  readonly expects: string;
  /** Whether a JSON value other than null is a value of this field. */
  readonly accepts: (value: JsonValue) => boolean;
  /** Members, where the field is an enumeration. */
  readonly values?: readonly string[];
  /** The entity type this field points at, for references. */
  readonly refersTo?: EntityType;
  /** Money fields, which conversions look for. */
  readonly money?: true;
  /** Prices of one unit, in the record's currency, which conversions look for as well. */
  readonly price?: true;
  /** The record means nothing without it, so a change may not clear it. */
  readonly indispensable?: true;
  /** Each platform keeps its own (time stamps, its currency, its lines): two values are no disagreement. */
  readonly ownToPlatform?: true;
  /** Never there; carries the type of the field's values to the mappings. */
  readonly value?: Value;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** Whether a change may set a field to null. An enumerated value stays one of its set. */
export function canBeNull({ indispensable, values }: Field<unknown>): boolean {
  return !indispensable && values === undefined;
}

/** The value type of a field. */
export type ValueOf<F> = F extends Field<infer Value> ? Value : never;

const moneySchema: ValueSchema = {
  type: 'object',
  noun: 'money such as { "amount": 170000, "currency": "USD" }, the amount an integer of minor units',
  named: 'Money',
};

const isText = (value: JsonValue): value is string => typeof value === 'string';

function field<Value>(
  type: FieldType,
  description: string,
  schema: ValueSchema,
  accepts: Field<Value>['accepts'],
): Field<Value> {
  return { type, description, schema, expects: phraseOf(schema), accepts };
}

/** Free text. */
export function text(description: string): Field<string> {
  return field('text', description, { type: 'string' }, isText);
}

/** A calendar day, `YYYY-MM-DD` (ISO 8601), in the project's own time zone. */
export function date(description: string): Field<string> {
  return field('date', description, dateSchema, (value) => isText(value) && isIsoDate(value));
}

/** An instant, RFC 3339 in UTC, as precise as the platform gives it. */
export function timestamp(description: string): Field<string> {
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
  return field('time', description, timestampSchema, (value) => isText(value) && form.test(value));
}

/** An amount of money. */
export function money(description: string): Field<Money> {
  return { ...localMoney(description), money: true };
}

/**
 * An amount in the ERP company's local currency, whatever the record's currency is. Converting the record does not
 * change it.
 */
export function localMoney(description: string): Field<Money> {
  return { ...field<Money>('money', description, moneySchema, isMoney), unit: 'minor_units' };
}

/** A plain decimal number as text: quantities, hours, percentages (0 to 100), unit prices. Never money. */
export function decimal(description: string): Field<string> {
  return field(
    'decimal',
    description,
    { ...decimalTextSchema('7.5', 'Decimal text, never rounded.'), pattern: '^-?\\d+(\\.\\d+)?$' },
    (value) => isText(value) && parseDecimalText(value) !== undefined,
  );
}

/** What one unit costs, in the record's currency. No money, because it may have more decimals than the currency. */
export function price(description: string): Field<string> {
  return { ...decimal(description), price: true };
}

/** A plain decimal number that counts something. */
export function decimalOf(unit: FieldUnit, description: string): Field<string> {
  return { ...decimal(description), unit };
}

/** A whole number within ±(2^53−1). */
export function integer(description: string): Field<number> {
  return field('integer', description, { ...integerSchema, format: 'int64' }, (value) =>
    Number.isSafeInteger(value),
  );
}

/** A whole number that counts something. */
export function integerOf(unit: FieldUnit, description: string): Field<number> {
  return { ...integer(description), unit };
}

/** True or false. */
export function truth(description: string): Field<boolean> {
  return field('boolean', description, truthSchema, (value) => typeof value === 'boolean');
}

/** One of a set of values. A platform's literal that is not listed reads as `unknown`, which is read-only. */
export function oneOf<const Values extends readonly string[]>(
  description: string,
  values: Values,
): Field<Values[number] | 'unknown'> {
  const schema: ValueSchema = { type: 'string', values };
  return {
    ...field('one_of', description, schema, (value) => isText(value) && values.includes(value)),
    values,
  };
}

/** The canonical ID of another object. */
export function reference(refersTo: EntityType, description: string): Field<string> {
  const schema: ValueSchema = { type: 'string', noun: `the canonical ID of ${withArticle(refersTo)}` };
  return { ...field('reference', description, schema, isText), refersTo };
}

/** An ISO 4217 currency code. */
export function currency(description: string): Field<string> {
  const { type, noun } = currencySchema;
  const schema: ValueSchema = { type, ...(noun && { noun }), pattern: '^[A-Z]{3}$' };
  return field('currency', description, schema, (value) => isText(value) && isCurrency(value));
}

/** A postal address. */
export interface Address {
  readonly line1?: string | null;
  readonly line2?: string | null;
  readonly city?: string | null;
  readonly state?: string | null;
  readonly postal_code?: string | null;
  readonly country?: string | null;
}
export const addressMembers = ['line1', 'line2', 'city', 'state', 'postal_code', 'country'] as const;

/** A postal address; each part is text. */
export function address(description: string): Field<Address> {
  const noun = `an object with any of ${addressMembers.join(', ')}, each text or null`;
  return field('address', description, { type: 'object', noun, named: 'Address' }, isAddress);
}

function isAddress(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  return Object.entries(value).every(
    ([member, part]) =>
      (addressMembers as readonly string[]).includes(member) && (part === null || typeof part === 'string'),
  );
}

/** One line of a contract, an invoice or a change order. */
export interface Line {
  readonly id?: string | null;
  readonly position?: number | null;
  readonly description?: string | null;
  readonly quantity?: string | null;
  readonly unit_price?: string | null;
  readonly uom?: string | null;
  readonly amount?: Money | null;
  readonly budget_code?: string | null;
}

/** The lines whose sum is a document's amount. They are read here, and changed on their platform. */
export function lines(description: string): Field<readonly Line[]> {
  return field('lines', description, linesSchema, () => false);
}

/** Marks a field that a record means nothing without. */
export function indispensable<Value>(field: Field<Value>): Field<Value> {
  return { ...field, indispensable: true };
}

/** Marks a field of which each platform keeps its own. */
export function ownToPlatform<Value>(field: Field<Value>): Field<Value> {
  return { ...field, ownToPlatform: true };
}
