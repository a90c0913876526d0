import { ExactNumber, stringifyJson, type JsonValue } from '@app/mapper';
import { hash } from 'node:crypto';

/**
 * The SHA-256 of a JSON value, regardless of the order of its members. Undefined members are ignored.
 *
 * @throws TypeError for a value that JSON cannot represent
 */
export function digestOfJson(value: unknown): string {
  return `sha256:${hash('sha256', stringifyJson(inOrder(value)), 'hex')}`;
}

function inOrder(value: unknown): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (value instanceof ExactNumber || (typeof value === 'number' && Number.isFinite(value))) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object') throw new TypeError(`JSON has no form for ${typeof value}`);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, inOrder(member)]));
}
