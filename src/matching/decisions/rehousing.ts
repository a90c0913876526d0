import type { Member, Part } from './arrange';
import { nameOf, type RecordName } from './bonds';

/** What becomes of the objects whose records were arranged anew. */
export interface Rehousing {
  /** Objects that go into another one. */
  readonly merges: readonly { readonly goes: string; readonly stays: string }[];
  /** Records that leave their object, and the object that they enter; undefined for one of their own. */
  readonly moves: readonly Leaving[];
}

/** Records that leave their objects together. */
export interface Leaving {
  readonly records: readonly Member[];
  /** All records of the part that they belong to. */
  readonly part: Part;
  readonly to: string | undefined;
}

/**
 * Gives each part an object. An object that is parted stays with the part that has the record which had its ID first. Where
 * several objects become one, the one stays whose record comes first in the order of precedence. Pure.
 *
 * @param parts all records of some objects, as they are to be
 * @param firstHolders for each object that is parted, which of its records had its ID first
 */
export function rehouse(parts: readonly Part[], firstHolders: ReadonlyMap<string, RecordName>): Rehousing {
  const claims = claimsOf(parts, firstHolders);
  const merges: { goes: string; stays: string }[] = [];
  const moves: Leaving[] = [];
  for (const part of parts) {
    const own = [...new Set(part.map(({ object }) => object))].filter(
      (object) => claims.get(object) === part,
    );
    const [stays, ...going] = own;
    for (const goes of going) if (stays !== undefined) merges.push({ goes, stays });
    const records = part.filter(({ object }) => !own.includes(object));
    if (records.length > 0) moves.push({ records, part, to: stays });
  }
  return { merges, moves };
}

/** The objects that would be parted. */
export function partedObjects(parts: readonly Part[]): readonly string[] {
  const partOf = new Map<string, Part>();
  const parted = new Set<string>();
  for (const part of parts) {
    for (const { object } of part) {
      if ((partOf.get(object) ?? part) !== part) parted.add(object);
      partOf.set(object, part);
    }
  }
  return [...parted];
}

function claimsOf(
  parts: readonly Part[],
  firstHolders: ReadonlyMap<string, RecordName>,
): ReadonlyMap<string, Part> {
  const claims = new Map<string, Part>();
  for (const part of parts) {
    for (const member of part) {
      const first = firstHolders.get(member.object);
      if (first === undefined || nameOf(first) === nameOf(member)) claims.set(member.object, part);
    }
  }
  return claims;
}
