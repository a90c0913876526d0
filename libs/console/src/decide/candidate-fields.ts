import type { CaseDetail } from '../data/cases';
import type { Platform } from '../data/queries';

type Candidate = CaseDetail['candidates'][number];
type Compared = CaseDetail['compared'][number];
type Value = Compared['values'][Platform];

/** A field of a record and of its candidates. */
export interface CandidateField {
  readonly field: string;
  /** What the record of the case says; undefined where it says nothing. */
  readonly own: Value;
  /** By the place of the candidate: what it says, and whether that is the same. */
  readonly sides: readonly { readonly value: Value; readonly same: boolean | null }[];
}

/**
 * The fields of a record beside those of its candidates, in the order in which they occur first.
 *
 * @param own the platform of the record
 */
export function candidateFields(own: Platform, candidates: readonly Candidate[]): CandidateField[] {
  const byCandidate = candidates.map(
    ({ compared = [] }) => new Map(compared.map((field) => [field.field, field])),
  );
  const names = new Set(byCandidate.flatMap((fields) => [...fields.keys()]));
  return [...names].map((field) => {
    const found = byCandidate.map((fields) => fields.get(field));
    return {
      field,
      own: found.find((one) => one?.values[own] !== undefined)?.values[own],
      sides: found.map((one, place) => ({
        value: one?.values[candidates[place]?.platform ?? own],
        same: one?.same ?? null,
      })),
    };
  });
}

/** Whether any candidate has the field as well as the record. */
export function isCompared({ sides }: CandidateField): boolean {
  return sides.some(({ same }) => same !== null);
}
