import { hash } from 'node:crypto';
import { stringifyJson } from '../json/json-text';
import { isJsonArray, ownMember, sameJson, type JsonValue } from '../json/json-value';
import type { Rest } from './rest';

/** A longer list is kept as its digest: it is compared and never written, and an answer holds it twice already. */
const LONGEST_LIST = 50;

/** A value that the other platform gives back, in the form in which a rest keeps it. */
export function asReturned(value: JsonValue): JsonValue {
  if (!isJsonArray(value) || value.length <= LONGEST_LIST) return value;
  // Decoding gives the members of a line one order, so equal lists have one text.
  return { sha256: hash('sha256', stringifyJson(value), 'hex') };
}

/** Whether a value is the one that a rest keeps as given back. */
export function isAsReturned(returned: JsonValue, value: JsonValue): boolean {
  return sameJson(returned, value) || (isJsonArray(value) && sameJson(returned, asReturned(value)));
}

/** Whether a field has the value that a rest keeps as given back, so that what the rest has for it counts. */
export function isReturned(rest: Rest, field: string, value: JsonValue): boolean {
  const returned = rest.returns && ownMember(rest.returns, field);
  return returned !== undefined && isAsReturned(returned, value);
}
