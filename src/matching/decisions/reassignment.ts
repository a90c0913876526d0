import type { Member, RecordGroup } from './arrange';
import { nameOf, type RecordName } from './link-constraints';

/** What becomes of the objects whose records were arranged anew. */
export interface Reassignment {
  /** Objects that go into another one. */
  readonly merges: readonly { readonly goes: string; readonly stays: string }[];
  /** Records that leave their object, and the object that they enter; undefined for one of their own. */
  readonly moves: readonly RecordMove[];
}

/** Records that leave their objects together. */
export interface RecordMove {
  readonly records: readonly Member[];
  /** All records of the part that they belong to. */
  readonly part: RecordGroup;
  readonly to: string | undefined;
}

/**
 * Gives each part an object. An object that is parted stays with the part that has the record which had its ID first. Where
 * several objects become one, the one stays whose record comes first in the order of precedence. Pure.
 *
 * @param groups all records of some objects, as they are to be
 * @param firstHolders for each object that is parted, which of its records had its ID first
 */
export function reassign(
  groups: readonly RecordGroup[],
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

/** The objects that would be parted. */
export function splitObjects(groups: readonly RecordGroup[]): readonly string[] {
  const partOf = new Map<string, RecordGroup>();
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
  groups: readonly RecordGroup[],
  firstHolders: ReadonlyMap<string, RecordName>,
): ReadonlyMap<string, RecordGroup> {
  const claims = new Map<string, RecordGroup>();
  for (const group of groups) {
    for (const member of group) {
      const first = firstHolders.get(member.object);
      if (first === undefined || nameOf(first) === nameOf(member)) claims.set(member.object, group);
    }
  }
  return claims;
}
