import { inPrecedence, type PlatformName, type ValueTerms } from '@app/mapper';
import { objectFrom } from '../../records/objects/copy-rows';
import { projectsByPlatform } from '../../records/objects/project-of-record';
import { isOfTwoRecords, type Case, type ObjectOfCases } from './case-parts';
import { withFacts } from './making/case-facts';
import { casesOf, itemsOf, itemsOfPair } from './making/cases';
import { compareObject, type Candidate, type Comparison, type PairComparison } from './comparison';
import type { Converter } from './conversion';
import { openSince, type Dated, type OpenItems } from './making/open-since';
import type { ComparedRow, FormerRow } from './stored/compared-objects.repository';

/** The records of an object as they are. */
export type PresentRows = readonly [ComparedRow, ...ComparedRow[]];

/** An object whose records were compared, before the times since which its items are open were computed. */
export interface ComparedNow {
  readonly object: ObjectOfCases;
  readonly comparison: Comparison;
  /** The names of the open items. */
  readonly items: OpenItems;
}

/** A comparison between two platforms, as it is stored; times in microseconds since 1970. */
export interface DatedPair extends PairComparison {
  readonly openedAt: number | undefined;
}

/** A case with the time since which it is open. */
export interface DatedCase extends Case {
  readonly openedAt: number;
}

/** All that is stored of an object. */
export interface ComparedResult {
  readonly object: Pick<ObjectOfCases, 'id' | 'entityType'>;
  readonly pairs: readonly DatedPair[];
  readonly cases: readonly DatedCase[];
}

/** Compares the records of one object as they are. Pure. */
export function comparedNow(
  rows: PresentRows,
  candidates: readonly Candidate[],
  terms: ValueTerms,
  convert: Converter,
): ComparedNow {
  const object = objectOf(rows, candidates);
  const comparison = compareObject(object, terms);
  return { object, comparison, items: itemsOf(comparison, convert) };
}

/**
 * Adds the times since which items have been open, computed from the former records.
 *
 * @param former all records that the object had before; none for an object without open items
 */
export function withTimes(
  { object, comparison, items: now }: ComparedNow,
  rows: PresentRows,
  former: readonly FormerRow[],
  terms: ValueTerms,
  convert: Converter,
): ComparedResult {
  if (now.size === 0) {
    // Each case is one of the open items.
    return { object, pairs: comparison.pairs.map((pair) => ({ ...pair, openedAt: undefined })), cases: [] };
  }
  const versions = [
    ...rows.map((row) => ({ row, since: Number(row.since), until: undefined })),
    ...former.map((row) => ({ row, since: Number(row.since), until: Number(row.until) })),
  ] satisfies readonly (Dated & { readonly row: ComparedRow })[];
  const needsTwo = [...now].every(isOfTwoRecords);
  const since = openSince(versions, (present) => {
    if (needsTwo && present.length < 2) return new Set();
    if (present.length === rows.length && present.every(({ until }) => until === undefined)) return now;
    const [first, ...others] = present.map(({ row }) => row);
    if (first === undefined) return new Set();
    // Without candidates: the item of a record without a counterpart is open whether there were any or not.
    return itemsOf(compareObject(objectOf([first, ...others], []), terms), convert);
  });
  const opened = (item: string): number => since.get(item) ?? newest(rows);
  return {
    object,
    pairs: comparison.pairs.map((pair) => {
      const times = itemsOfPair(pair).map(opened);
      return { ...pair, openedAt: times.length === 0 ? undefined : Math.min(...times) };
    }),
    cases: withFacts(casesOf(object, comparison, convert), object, comparison, terms, convert).map((one) => ({
      ...one,
      openedAt: opened(one.item),
    })),
  };
}

function objectOf(rows: PresentRows, candidates: readonly Candidate[]): ObjectOfCases {
  const inOrder = inPrecedence(rows);
  const numbers = new Map<PlatformName, string>();
  const counterparties = new Map<PlatformName, string>();
  for (const { platform, number, counterparty } of inOrder) {
    if (counterparty !== null) counterparties.set(platform, counterparty);
    if (number !== null) numbers.set(platform, number);
  }
  return {
    ...objectFrom(rows),
    candidates,
    numbers,
    counterparties,
    projects: projectsByPlatform(inOrder),
  };
}

function newest(rows: PresentRows): number {
  return Math.max(...rows.map(({ since }) => Number(since)));
}
