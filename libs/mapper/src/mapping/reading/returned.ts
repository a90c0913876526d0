import { hash } from 'node:crypto';
import { stringifyJson } from '../../json/json-text';
import { fieldsOf } from '../../canonical/types';
import { isJsonArray, ownMember, sameJson, type JsonObject, type JsonValue } from '../../json/json-value';
import type { CompiledMapping } from '../compiled-mapping';
import type { Residue } from './residue';

/** A longer list is kept as its digest: it is only compared, never written, and an answer already has it twice. */
const LONGEST_LIST = 50;

/** A value that the other platform gives back, in the form in which a residue keeps it. */
export function asReturned(value: JsonValue): JsonValue {
  if (!isJsonArray(value) || value.length <= LONGEST_LIST) return value;
  // Decoding gives the members of a line one order, so equal lists have one text.
  return { sha256: hash('sha256', stringifyJson(value), 'hex') };
}

/** Whether a value is the returned value that a residue keeps. */
export function isAsReturned(returned: JsonValue, value: JsonValue): boolean {
  return sameJson(returned, value) || (isJsonArray(value) && sameJson(returned, asReturned(value)));
}

/** Whether a field has the returned value that a residue keeps. */
export function isReturned(residue: Residue, field: string, value: JsonValue): boolean {
  const returned = residue.returns && ownMember(residue.returns, field);
  return returned !== undefined && isAsReturned(returned, value);
}

/** The fields of which the original value in the residue counts, because the data have the returned values that it keeps. */
export function returnedFields(
  { entityType, options: { together = [] } }: CompiledMapping,
  residue: Residue,
  data: JsonObject,
): ReadonlySet<string> {
  const { returns = {} } = residue;
  const isEdited = (field: string) => {
    const value = ownMember(data, field);
    return Object.hasOwn(returns, field) && value !== undefined && !isReturned(residue, field, value);
  };
  const returned = Object.keys(returns).filter((field) => Object.hasOwn(data, field) && !isEdited(field));
  // A price is a number in the currency of its record, so it is the noted one only with that currency.
  const hasCurrency = !Object.hasOwn(returns, 'currency') || returned.includes('currency');
  const edited = new Set(together.filter((fields) => fields.some(isEdited)).flat());
  return new Set(
    returned.filter((field) => !edited.has(field) && (hasCurrency || !fieldsOf(entityType)[field]?.price)),
  );
}
