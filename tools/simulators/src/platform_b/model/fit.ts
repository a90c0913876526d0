import { ExactNumber, decimalOf, numberOf, type JsonValue } from '@app/mapper';
import { badRequest, ODataError } from '../odata-error';
import { compareDecimals } from './decimals';
import type { Field } from './field';
import { isDay, sortableInstant } from './instant';

/** Unconfirmed rules about values in a body. */
export interface FitRules {
  /** Whether null stands for the blank value of the field; otherwise it is refused. */
  readonly nullIsBlank: boolean;
  /** Whether decimals may come as strings. */
  readonly decimalsAsText: boolean;
}

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LARGEST = decimalOf(new ExactNumber('999999999999999.99'));

/** Whether a text is a GUID, in either case. */
export function isGuid(text: string): boolean {
  return GUID.test(text);
}

/**
 * Converts a value of a body to the stored form: codes trimmed and in upper case, keys in lower case.
 *
 * @throws ODataError 400 for a value of another type, one that is too long, or an unknown member
 */
export function fitted(name: string, field: Field, value: JsonValue, rules: FitRules): JsonValue {
  if (value === null) {
    if (rules.nullIsBlank) return field.blank;
    throw badRequest(`The property '${name}' has a null value, but its type does not allow null values.`);
  }
  switch (field.kind) {
    case 'text':
    case 'code': {
      if (typeof value !== 'string') throw unfit(name, field);
      const kept = field.kind === 'code' ? value.trim().toUpperCase() : value;
      if (field.longest !== undefined && kept.length > field.longest) throw tooLong(kept, field.longest);
      return kept;
    }
    case 'guid':
      if (typeof value !== 'string' || !isGuid(value)) throw unfit(name, field);
      return value.toLowerCase();
    case 'date':
      if (typeof value !== 'string' || !isDay(value)) throw unfit(name, field);
      return value;
    case 'datetime':
      if (typeof value !== 'string' || sortableInstant(value) === undefined) throw unfit(name, field);
      return value;
    case 'decimal':
      return fittedDecimal(name, field, value, rules);
    case 'integer':
      if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) >= 2 ** 31) {
        throw unfit(name, field);
      }
      return value;
    case 'boolean':
      if (typeof value !== 'boolean') throw unfit(name, field);
      return value;
    case 'enum':
      if (typeof value !== 'string' || !field.members?.includes(value)) throw unfit(name, field);
      return value;
  }
}

function fittedDecimal(name: string, field: Field, value: JsonValue, rules: FitRules): JsonValue {
  const number = rules.decimalsAsText && typeof value === 'string' ? new ExactNumber(value) : value;
  const decimal = decimalOf(number);
  if (decimal === undefined) throw unfit(name, field);
  const size = { units: decimal.units < 0n ? -decimal.units : decimal.units, scale: decimal.scale };
  if (LARGEST !== undefined && compareDecimals(size, LARGEST) > 0) {
    throw new ODataError(400, 'Application_EvaluateException', `The value of '${name}' is too large.`);
  }
  return numberOf(decimal);
}

/** The OData type of each kind of value. */
export const edmTypes: Readonly<Record<Field['kind'], string>> = {
  guid: 'Edm.Guid',
  text: 'Edm.String',
  code: 'Edm.String',
  date: 'Edm.Date',
  datetime: 'Edm.DateTimeOffset',
  decimal: 'Edm.Decimal',
  integer: 'Edm.Int32',
  boolean: 'Edm.Boolean',
  enum: 'Microsoft.NAV enumeration',
};

function unfit(name: string, field: Field): ODataError {
  return badRequest(
    `Cannot convert the value of the property '${name}' to the expected type '${edmTypes[field.kind]}'.`,
  );
}

function tooLong(value: string, longest: number): ODataError {
  return new ODataError(
    400,
    'Application_StringExceededLength',
    `The length of the string is ${value.length}, but it must be less than or equal to ${longest} characters. Value: ${value}`,
  );
}
