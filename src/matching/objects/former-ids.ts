import type { AliasMove, StandingAlias } from '../../records/objects/aliases.repository';
import { nameOf, type RecordName } from '../rule/link-constraints';

/** Records that leave their objects for one object, in the order of precedence. */
export interface Leaving {
  readonly records: readonly LeavingRecord[];
  /** That object; undefined for one of their own. */
  readonly to: string | undefined;
}

/** A record with the object that it leaves. */
export interface LeavingRecord extends RecordName {
  readonly from: string;
}

/**
 * The ID that a record of a group had last before it came into the object that it leaves; of the first record that had one.
 * Undefined if none had. Pure.
 */
export function formerIdOf({ records }: Leaving, aliases: readonly StandingAlias[]): string | undefined {
  for (const record of records) {
    const [last] = aliases
      .filter((alias) => isOf(alias, record))
      .toSorted((one, other) => (one.heldUntil < other.heldUntil ? 1 : -1));
    if (last !== undefined) return last.id;
  }
  return undefined;
}

function isOf({ holder, object }: StandingAlias, record: LeavingRecord): boolean {
  return holder !== undefined && nameOf(holder) === nameOf(record) && object === record.from;
}

/**
 * What becomes of the aliases of objects that records leave. An alias goes with the record whose ID it was. Those of records that
 * stay, and of unknown ones, stay with the object. Pure.
 *
 * @param targets the object of each group
 */
export function aliasMoves(
  leaving: readonly Leaving[],
  targets: readonly string[],
  aliases: readonly StandingAlias[],
): readonly AliasMove[] {
  const named = new Map(
    aliases.map((alias) => {
      const place = leaving.findIndex(({ records }) => records.some((record) => isOf(alias, record)));
      return [alias.id, targets[place] ?? alias.object];
    }),
  );
  return aliases.flatMap(({ id, object: from, mergedInto }) => {
    const to = named.get(id) ?? from;
    // The object itself is no alias. It names itself.
    const isAlong = id !== to && (named.get(mergedInto) ?? from) === to;
    return to === from && isAlong ? [] : [{ id, from, to, isAlong }];
  });
}
