import { hash } from 'node:crypto';
import { stringifyJson } from '../../json/json-text';
import { isJsonArray, ownMember, sameJson, type JsonValue } from '../../json/json-value';
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

/** Whether a field has the returned value that a residue keeps. If so, the original value in the residue counts. */
export function isReturned(residue: Residue, field: string, value: JsonValue): boolean {
  const returned = residue.returns && ownMember(residue.returns, field);
  return returned !== undefined && isAsReturned(returned, value);
}
