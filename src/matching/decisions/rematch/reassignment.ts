import type { Member, ObjectRecords } from './arrange';
import { nameOf, type RecordName } from '../../rule/link-constraints';

/** The changes of objects after their records were grouped again. */
export interface Reassignment {
  /** Objects that are merged into another one. */
  readonly merges: readonly { readonly goes: string; readonly stays: string }[];
  /** Records that move to another object; to a new one if `to` is undefined. */
  readonly moves: readonly RecordMove[];
}

/** Records that move together. */
export interface RecordMove {
  readonly records: readonly Member[];
  /** All records of their group. */
  readonly part: ObjectRecords;
  readonly to: string | undefined;
}

/**
 * Assigns an object to each group. An object that is split stays with the group of the record that had the object's
 * ID first. Of several objects that become one, the object of the record that comes first in precedence stays. Pure.
 *
 * @param groups all records of some objects, in their new groups
 * @param firstHolders for each object that is split, the record that had its ID first
 */
export function reassign(
  groups: readonly ObjectRecords[],
  firstHolders: ReadonlyMap<string, RecordName>,
): Reassignment {
  const claims = claimsOf(groups, firstHolders);
  const merges: { goes: string; stays: string }[] = [];
  const moves: RecordMove[] = [];
  for (const group of groups) {
    const own = [...new Set(group.map(({ object }) => object))].filter(
      (object) => claims.get(object) === group,
    );
    const [stays, ...going] = own;
    for (const goes of going) if (stays !== undefined) merges.push({ goes, stays });
    const records = group.filter(({ object }) => !own.includes(object));
    if (records.length > 0) moves.push({ records, part: group, to: stays });
  }
  return { merges, moves };
}

/** The objects whose records are in more than one group. */
export function splitObjects(groups: readonly ObjectRecords[]): readonly string[] {
  const partOf = new Map<string, ObjectRecords>();
  const parted = new Set<string>();
  for (const group of groups) {
    for (const { object } of group) {
      if ((partOf.get(object) ?? group) !== group) parted.add(object);
      partOf.set(object, group);
    }
  }
  return [...parted];
}

function claimsOf(
  groups: readonly ObjectRecords[],
  firstHolders: ReadonlyMap<string, RecordName>,
): ReadonlyMap<string, ObjectRecords> {
  const claims = new Map<string, ObjectRecords>();
  for (const group of groups) {
    for (const member of group) {
      const first = firstHolders.get(member.object);
      if (first === undefined || nameOf(first) === nameOf(member)) claims.set(member.object, group);
    }
  }
  return claims;
}
