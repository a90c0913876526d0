import { inPrecedence, type PlatformName, type ValueTerms } from '@app/mapper';
import { objectFrom } from '../../records/objects/copy-rows';
import { projectsByPlatform } from '../../records/objects/project-of-record';
import { isOfTwoRecords, type Case, type ObjectOfCases } from './case-parts';
import { withFacts } from './making/case-facts';
import { casesOf, itemsOf, itemsOfPair } from './making/cases';
import { compareObject, type Candidate, type Comparison, type PairComparison } from './comparison';
import type { Converter } from './conversion';
import { OpenSince, type Dated, type OpenItems } from './making/open-since';
import type { ComparedRow, FormerPlace, FormerStep } from './stored/compared-objects.repository';

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
 * Maximum number of former versions of an object that are compared, and maximum characters of them: with every change of a
 * record, all of them are compared again. An item that was open for longer counts from the oldest of them.
 */
const MOST_VERSIONS = 1_000;
const MOST_TEXT = 16 * 1024 * 1024;

/** A version of a record, with its times as numbers. */
interface DatedRow extends Dated {
  readonly row: ComparedRow;
}

/**
 * An object that gets the times since which its items have been open, from the former versions of its records. Pure; the
 * caller reads the versions, step by step.
 */
export class DatedObject {
  /** The versions to add next; undefined if no time depends on older ones. */
  next: FormerPlace | undefined;
  private readonly since: OpenSince<DatedRow>;
  private versions = 0;
  private text = 0;

  constructor(
    private readonly now: ComparedNow,
    private readonly rows: PresentRows,
    private readonly terms: ValueTerms,
    private readonly convert: Converter,
  ) {
    this.next = now.items.size === 0 ? undefined : { id: now.object.id, before: undefined };
    const needsTwo = [...now.items].every(isOfTwoRecords);
    this.since = new OpenSince(
      rows.map((row): DatedRow => ({ row, since: Number(row.since), until: undefined })),
      (present) => (needsTwo && present.length < 2 ? new Set() : this.itemsOf(present)),
    );
  }

  get id(): string {
    return this.now.object.id;
  }

  /** Adds the versions that {@link next} names. */
  goBack({ rows, next }: FormerStep): void {
    if (this.next === undefined) return;
    const former = rows.map((row) => ({ row, since: Number(row.since), until: Number(row.until) }));
    this.since.goBack(former, next && Math.min(...former.map(({ until }) => until)));
    this.versions += rows.length;
    this.text += rows.reduce((sum, { payload }) => sum + payload.length, 0);
    const isEnough = this.since.isSettled || this.versions >= MOST_VERSIONS || this.text >= MOST_TEXT;
    this.next = isEnough ? undefined : next;
  }

  /** What is stored of the object. */
  result(): ComparedResult {
    const { object, comparison, items } = this.now;
    if (items.size === 0) {
      // Each case is one of the open items.
      return {
        object,
        pairs: comparison.pairs.map((pair) => ({ ...pair, openedAt: undefined })),
        cases: [],
      };
    }
    const opened = (item: string): number => this.since.of(item) ?? newest(this.rows);
    const cases = casesOf(object, comparison, this.convert);
    return {
      object,
      pairs: comparison.pairs.map((pair) => {
        const times = itemsOfPair(pair).map(opened);
        return { ...pair, openedAt: times.length === 0 ? undefined : Math.min(...times) };
      }),
      cases: withFacts(cases, object, comparison, this.terms, this.convert).map((one) => ({
        ...one,
        openedAt: opened(one.item),
      })),
    };
  }

  private itemsOf(present: readonly DatedRow[]): OpenItems {
    if (present.length === this.rows.length && present.every(({ until }) => until === undefined))
      return this.now.items;
    const [first, ...others] = present.map(({ row }) => row);
    if (first === undefined) return new Set();
    // Without candidates: the item of a record without a counterpart is open whether there were any or not.
    return itemsOf(compareObject(objectOf([first, ...others], []), this.terms), this.convert);
  }
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
