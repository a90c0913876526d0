import { ExactNumber } from '../json/exact-number';
import type { JsonValue } from '../json/json-value';

/**
 * JSON text with sorted members, for comparing values without the comparison under test. Exact numbers come out as
 * their token, and -0 as 0, because JSON text has no other.
 */
export function sortedJson(value: JsonValue | undefined): string {
  if (value instanceof ExactNumber) return value.token;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'absent';
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(sortedJson).join(',')}]`;
  const members = Object.entries(value as Readonly<Record<string, JsonValue>>)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([member, inner]) => `${JSON.stringify(member)}:${sortedJson(inner)}`);
  return `{${members.join(',')}}`;
}

/** Every leaf of a JSON value by its path: scalars, and objects and lists that hold nothing. */
export function leavesOf(value: JsonValue, path: readonly string[] = []): Map<string, string> {
  const isLeaf =
    typeof value !== 'object' ||
    value === null ||
    value instanceof ExactNumber ||
    Object.keys(value).length === 0;
  if (isLeaf) return new Map(path.length === 0 ? [] : [[path.join('.'), sortedJson(value)]]);
  return new Map(
    Object.entries(value as Readonly<Record<string, JsonValue>>).flatMap(([member, inner]) => [
      ...leavesOf(inner, [...path, member]),
    ]),
  );
}

/** Paths whose leaf differs between two JSON values. */
export function changedPaths(before: JsonValue, after: JsonValue): readonly string[] {
  const [left, right] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...left.keys(), ...right.keys()])].filter((path) => left.get(path) !== right.get(path));
}
