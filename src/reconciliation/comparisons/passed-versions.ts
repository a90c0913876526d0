import { groupBy, type ValueTerms } from '@app/mapper';
import type { Candidate } from './comparison';
import { comparedNow } from './compared-rows';
import type { Converter } from './conversion';
import { casesOf } from './making/cases';
import type { ComparedRow, FormerPlace, FormerStep } from './stored/compared-objects.repository';
import type { UnseenCase } from './stored/unseen-values.repository';

/** A version of a record, with its times in microseconds since 1970. */
interface PassedRow {
  readonly row: ComparedRow;
  readonly since: number;
  /** Undefined for a version that was in force at the mark. */
  readonly until: number | undefined;
}

/**
 * The accepted cases of an object whose records had versions that no refresh knows, compared as they were at the begin of
 * each of these versions. Candidates, and what the versions inherit, are those of the mark. Pure; the caller reads the
 * versions, step by step.
 */
export class PassedVersions {
  /** The versions to add next; undefined once every case is known to have changed or to have kept its values. */
  next: FormerPlace | undefined;
  private readonly changed: UnseenCase[] = [];
  private readonly left: Set<string>;
  /** By the microsecond at which they are looked at, the latest first. */
  private times: readonly (readonly [number, readonly UnseenCase[]])[];
  private known: readonly PassedRow[];

  /**
   * @param rows the records at the mark
   * @param unseen the accepted cases, each at every time at which it is looked at
   */
  constructor(
    readonly id: string,
    rows: readonly ComparedRow[],
    private readonly candidates: readonly Candidate[],
    unseen: readonly UnseenCase[],
    private readonly terms: ValueTerms,
    private readonly convert: Converter,
  ) {
    this.next = { id, before: undefined };
    this.left = new Set(unseen.map(({ caseId }) => caseId));
    this.times = [...groupBy(unseen, ({ since }) => Number(since))].toSorted(([one], [other]) => other - one);
    this.known = rows.map((row) => ({ row, since: Number(row.since), until: undefined }));
  }

  /** The cases that had other values, each with the latest time at which it had them; known once nothing comes next. */
  get result(): readonly UnseenCase[] {
    return this.changed;
  }

  /** Adds the versions that {@link next} names. */
  goBack({ rows, next }: FormerStep): void {
    const former = rows.map((row) => ({ row, since: Number(row.since), until: Number(row.until) }));
    this.known = [...this.known, ...former];
    // Since then every version is known.
    const from = next === undefined ? -Infinity : Math.min(...former.map(({ until }) => until));
    for (const [time, cases] of this.times) if (time >= from) this.examine(time, cases);
    this.times = this.times.filter(([time]) => time < from);
    this.next = this.left.size === 0 || this.times.length === 0 ? undefined : next;
  }

  private examine(time: number, cases: readonly UnseenCase[]): void {
    const undecided = cases.filter(({ caseId }) => this.left.has(caseId));
    if (undecided.length === 0) return;
    const values = this.valuesAt(time);
    for (const one of undecided) {
      if (values.get(one.caseId) === one.values) continue;
      this.changed.push(one);
      this.left.delete(one.caseId);
    }
  }

  /** The digests of the values of the object's cases, by case. */
  private valuesAt(time: number): ReadonlyMap<string, string> {
    const [first, ...others] = this.known
      .filter(({ since, until }) => since <= time && (until === undefined || until > time))
      .map(({ row }) => row);
    if (first === undefined) return new Map();
    const { object, comparison } = comparedNow([first, ...others], this.candidates, this.terms, this.convert);
    return new Map(
      casesOf(object, comparison, this.convert).map(({ id, valuesDigest }) => [id, valuesDigest]),
    );
  }
}
