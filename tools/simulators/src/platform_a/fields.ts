import { ownMember, decimalIn, type JsonObject, type JsonValue } from '@app/mapper';
import { amountText } from './amounts';
import { idText, idValue } from './ids';
import { refuseFields } from './refusals';
import { Refusal } from '../server';

/** Reads the value of a field in a request; undefined if it is invalid. It is never called with null. */
type ReadField = (value: JsonValue) => JsonValue | undefined;

export const text: ReadField = (value) =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

export const flag: ReadField = (value) => (typeof value === 'boolean' ? value : undefined);

export const date: ReadField = (value) =>
  typeof value === 'string' && isDate(value.slice(0, 10)) && /^(|T.*)$/.test(value.slice(10))
    ? value.slice(0, 10)
    : undefined;

/** An amount keeps its text, of any scale. */
export const amount: ReadField = (value) => {
  const decimal = decimalIn(value);
  if (decimal === undefined) return undefined;
  return typeof value === 'string' ? value : amountText(decimal);
};

export const whole: ReadField = (value) =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;

export const number: ReadField = (value) => (typeof value === 'number' ? value : undefined);

export const id: ReadField = (value) => {
  const digits = idText(value);
  return digits === undefined ? undefined : idValue(digits);
};

export const anything: ReadField = (value) => value;

export function oneOf(...values: readonly string[]): ReadField {
  return (value) => (typeof value === 'string' && values.includes(value) ? value : undefined);
}

export type Fields = Readonly<Record<string, ReadField>>;

export interface FieldSettings {
  readonly nullClears: boolean;
  readonly refuseUnknown: boolean;
}

const customField = /^custom_field_\d+$/;

/**
 * The values of the writable fields in a body. The platform silently ignores a field that it shows and nobody may
 * write. It ignores any other field, or refuses it with 406.
 */
export function writtenFields(
  sent: JsonObject,
  writable: Fields,
  shown: JsonObject,
  settings: FieldSettings,
): Readonly<Record<string, JsonValue>> {
  const written: Record<string, JsonValue> = {};
  const unfit: Record<string, readonly string[]> = {};
  for (const [name, value] of Object.entries(sent)) {
    const read = Object.hasOwn(writable, name)
      ? writable[name]
      : customField.test(name)
        ? anything
        : undefined;
    if (read === undefined) {
      if (settings.refuseUnknown && ownMember(shown, name) === undefined) {
        throw new Refusal({ status: 406, json: { errors: { [name]: ['is not a known field'] } } });
      }
    } else if (value === null) {
      if (settings.nullClears) written[name] = null;
    } else {
      const fit = read(value);
      if (fit === undefined) unfit[name] = ['is invalid'];
      else written[name] = fit;
    }
  }
  if (Object.keys(unfit).length > 0) throw refuseFields(unfit);
  return written;
}

/** Custom fields are written as flat members and shown in one object. */
export function withCustomFields(
  record: JsonObject,
  written: Readonly<Record<string, JsonValue>>,
): { readonly plain: JsonObject; readonly custom: JsonObject } {
  const isCustom = (name: string): boolean => customField.test(name);
  const plain = Object.fromEntries(Object.entries(written).filter(([name]) => !isCustom(name)));
  const before = ownMember(record, 'custom_fields');
  const custom = Object.fromEntries(
    Object.entries(written)
      .filter(([name]) => isCustom(name))
      .map(([name, value]) => [
        name,
        { data_type: typeof value === 'boolean' ? 'boolean' : 'string', value },
      ]),
  );
  const kept = typeof before === 'object' && before !== null ? (before as JsonObject) : {};
  return {
    plain,
    custom: Object.keys(custom).length === 0 ? {} : { custom_fields: { ...kept, ...custom } },
  };
}

function isDate(value: string): boolean {
  const moment = /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(`${value}T00:00:00Z`) : NaN;
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(value);
}
