import {
  stringifyJson,
  sameJson,
  valueAt,
  type JsonObject,
  type JsonPath,
  type JsonValue,
  type NativeChange,
} from '@app/mapper';

/** A field that somebody else changed to another value than we wanted. */
export interface Clash {
  readonly path: JsonPath;
  readonly base: JsonValue | undefined;
  readonly theirs: JsonValue | undefined;
  readonly mine: JsonValue;
}

/** What is left of a write after somebody else changed the record. */
export interface Merged {
  /** Fields to write all the same: their present value is the one that the write was planned for. */
  readonly changes: readonly NativeChange[];
  readonly clashes: readonly Clash[];
}

/**
 * Compares three values of each field: the one that a write was planned for, the present one and the wanted one. A field that both changed to
 * the same value needs no write.
 */
export function mergeThreeWays(base: JsonObject, theirs: JsonObject, mine: readonly NativeChange[]): Merged {
  const changes: NativeChange[] = [];
  const clashes: Clash[] = [];
  for (const { path, value } of mine) {
    const before = valueAt(base, path);
    const now = valueAt(theirs, path);
    if (sameJson(now, value)) continue;
    if (sameJson(now, before)) changes.push({ path, value });
    else clashes.push({ path, base: before, theirs: now, mine: value });
  }
  return { changes, clashes };
}

/** Clashes that a reason names one by one. */
const MOST_NAMED = 20;

/** Why fields were not written, with both values. */
export function reasonOf(clashes: readonly Clash[]): string {
  const named = clashes
    .slice(0, MOST_NAMED)
    .map(
      ({ path, theirs, mine }) =>
        `${path.join('.')} was changed to ${text(theirs)} meanwhile, not to ${text(mine)}`,
    );
  const more = clashes.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function text(value: JsonValue | undefined): string {
  const whole = value === undefined ? 'nothing' : stringifyJson(value);
  return whole.length > 200 ? `${whole.slice(0, 200)}…` : whole;
}
