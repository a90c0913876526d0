import { sameJson, valueAt, type JsonObject, type NativeChange } from '@app/mapper';
import type { Clash } from '../../../platforms/clash';

/** The remainder of a write after another user changed the record. */
export interface MergeResult {
  /** Fields to write: they still have the value for which the write was planned. */
  readonly changes: readonly NativeChange[];
  readonly clashes: readonly Clash[];
}

/**
 * Compares three values of each field: the one that a write was planned for, the present one and the wanted one. A field that both changed to
 * the same value needs no write.
 */
export function mergeThreeWays(
  base: JsonObject,
  theirs: JsonObject,
  mine: readonly NativeChange[],
): MergeResult {
  const changes: NativeChange[] = [];
  const clashes: Clash[] = [];
  for (const { path, value } of mine) {
    const before = valueAt(base, path);
    const now = valueAt(theirs, path);
    if (sameJson(now, value)) continue;
    if (sameJson(now, before)) changes.push({ path, value });
    else clashes.push({ path, theirs: now, mine: value });
  }
  return { changes, clashes };
}
