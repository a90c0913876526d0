import { isJsonArray, isJsonObject, stringifyJson, type JsonValue } from '@app/mapper';
import { hash } from 'node:crypto';

/** The SHA-256 of a JSON value, whatever the order of its members. */
export function digestOfJson(value: JsonValue): string {
  return `sha256:${hash('sha256', stringifyJson(inOrder(value)), 'hex')}`;
}

function inOrder(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(inOrder);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, inOrder(member)]));
}
