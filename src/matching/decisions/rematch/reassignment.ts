import type { Member, ObjectRecords } from './arrange';
import { nameOf, type RecordName } from '../../rule/link-constraints';

/** The changes of objects after their records were arranged again. */
export interface Reassignment {
  /** Objects that are merged into another one. */
  readonly merges: readonly { readonly goes: string; readonly stays: string }[];
  /** Records that move to another object. */
  readonly moves: readonly RecordMove[];
}

/** Records that move together. */
export interface RecordMove {
  readonly records: readonly Member[];
  /** The object that they come to; undefined for a new one. */
  readonly to: string | undefined;
}

/**
 * Assigns an object to each list of records. If an object is split, it stays with the list of the record that had the
 * object's ID first. If several objects are merged, the object of the record that comes first in precedence stays.
 * Pure.
 *
 * @param arranged all records of some objects, one list for each future object
 * @param firstHolders for each object that is split, the record that had its ID first
 */
export function reassign(
  arranged: readonly ObjectRecords[],
  firstHolders: ReadonlyMap<string, RecordName>,
): Reassignment {
  const claims = claimsOf(arranged, firstHolders);
  const merges: { goes: string; stays: string }[] = [];
  const moves: RecordMove[] = [];
  for (const records of arranged) {
    const own = [...new Set(records.map(({ object }) => object))].filter(
      (object) => claims.get(object) === records,
    );
    const [stays, ...going] = own;
    for (const goes of going) if (stays !== undefined) merges.push({ goes, stays });
    const moving = records.filter(({ object }) => !own.includes(object));
    if (moving.length > 0) moves.push({ records: moving, to: stays });
  }
  return { merges, moves };
}

/** The objects whose records are in more than one list. */
export function splitObjects(arranged: readonly ObjectRecords[]): readonly string[] {
  const listOf = new Map<string, ObjectRecords>();
  const split = new Set<string>();
  for (const records of arranged) {
    for (const { object } of records) {
      if ((listOf.get(object) ?? records) !== records) split.add(object);
      listOf.set(object, records);
    }
  }
  return [...split];
}

function claimsOf(
  arranged: readonly ObjectRecords[],
  firstHolders: ReadonlyMap<string, RecordName>,
): ReadonlyMap<string, ObjectRecords> {
  const claims = new Map<string, ObjectRecords>();
  for (const records of arranged) {
    for (const member of records) {
      const first = firstHolders.get(member.object);
      if (first === undefined || nameOf(first) === nameOf(member)) claims.set(member.object, records);
    }
  }
  return claims;
}
