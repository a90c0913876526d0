import { groupBy } from '@app/mapper';
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
export function formerIdOf({ records }: Leaving, aliases: AliasesByHolder): string | undefined {
  for (const record of records) {
    const [last] = (aliases.get(holderKey(record, record.from)) ?? []).toSorted((one, other) =>
      one.heldUntil < other.heldUntil ? 1 : -1,
    );
    if (last !== undefined) return last.id;
  }
  return undefined;
}

/** Aliases by the record whose ID they were and the object that they name now: many objects may part at once. */
export type AliasesByHolder = ReadonlyMap<string | undefined, readonly StandingAlias[]>;

/** Groups aliases for {@link formerIdOf}. Pure. */
export function byHolder(aliases: readonly StandingAlias[]): AliasesByHolder {
  return groupBy(aliases, ({ holder, object }) => holder && holderKey(holder, object));
}

function holderKey(record: RecordName, object: string): string {
  return `${nameOf(record)}\n${object}`;
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
  const places = new Map(
    leaving.flatMap(({ records }, place) =>
      records.map((record) => [holderKey(record, record.from), place] as const),
    ),
  );
  const named = new Map(
    aliases.map((alias) => {
      const place = alias.holder && places.get(holderKey(alias.holder, alias.object));
      return [alias.id, (place === undefined ? undefined : targets[place]) ?? alias.object];
    }),
  );
  return aliases.flatMap(({ id, object: from, mergedInto }) => {
    const to = named.get(id) ?? from;
    // The object itself is no alias. It names itself.
    const isAlong = id !== to && (named.get(mergedInto) ?? from) === to;
    return to === from && isAlong ? [] : [{ id, from, to, isAlong }];
  });
}
