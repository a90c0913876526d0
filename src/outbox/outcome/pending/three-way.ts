import {
  sameJson,
  valueAt,
  type JsonObject,
  type JsonPath,
  type JsonValue,
  type NativeChange,
} from '@app/mapper';
import type { Clash } from '../../../platforms/clash';
import type { Connector, WriteCommand } from '../../../platforms/connector';

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
 * @param connector knows which values mean the same to the platform, however they are written
 * @param base the record for which the write was planned
 * @param theirs the present record
 * @param mine the write, with the wanted values
 */
export function mergeThreeWays(
  connector: Pick<Connector, 'isSameValue'>,
  base: JsonObject,
  theirs: JsonObject,
  { entityType, changes: mine }: Pick<WriteCommand, 'entityType' | 'changes'>,
): MergeResult {
  const isSame = (path: JsonPath, one: JsonValue | undefined, other: JsonValue | undefined): boolean =>
    connector.isSameValue?.(entityType, path, one, other) ?? sameJson(one, other);
  const changes: NativeChange[] = [];
  const clashes: Clash[] = [];
  for (const { path, value } of mine) {
    const before = valueAt(base, path);
    const now = valueAt(theirs, path);
    // Of a field that the record does not show, nobody knows the value.
    if (now !== undefined && isSame(path, now, value)) continue;
    if (isSame(path, now, before)) changes.push({ path, value });
    else clashes.push({ path, theirs: now, mine: value });
  }
  return { changes, clashes };
}
