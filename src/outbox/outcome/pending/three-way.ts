import { sameJson, valueAt, type JsonObject, type NativeChange } from '@app/mapper';
import type { Clash } from '../../../platforms/clash';

/** The remainder of a write after another user changed the record. */
export interface MergeResult {
  /** Fields to write: they still have the value for which the write was planned. */
  readonly changes: readonly NativeChange[];
  /** Fields that another user has changed to a value that is not the wanted one. */
  readonly clashes: readonly Clash[];
}

/**
 * A three-way merge. For each field of a write it compares the value for which the write was planned, the present value
 * and the wanted value. A field that has the wanted value already needs no write.
 *
 * @param base the record for which the write was planned
 * @param theirs the present record
 * @param mine the wanted values
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
