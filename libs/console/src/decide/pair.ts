import type { components } from '@app/client';
import type { Case, CaseDetail } from '../data/cases';
import type { ListedDecision, RecordName } from '../data/decisions';
import { isSameRecord } from './queue';

/** The two records that a decision would be about. */
export interface Pair {
  readonly records: readonly [RecordName, RecordName];
  /** Whether they are one object now: then they can be parted only. */
  readonly isLinked: boolean;
}

/** The pair of a case: its own two records, or its one record and the other one that the person has chosen. */
export function pairOf({ records }: Pick<Case, 'records'>, other: RecordName | undefined): Pair | undefined {
  const [first, second] = records;
  if (first === undefined) return undefined;
  if (second !== undefined) return { records: [first, second], isLinked: true };
  if (other === undefined) return undefined;
  const { platform, platform_id } = other;
  return { records: [first, { platform, platform_id }], isLinked: false };
}

/** The candidates of a case that are not among the records of a decision. */
export function otherCandidates(
  { candidates }: Pick<CaseDetail, 'candidates'>,
  decided: readonly RecordName[],
): readonly RecordName[] {
  return candidates
    .filter((candidate) => !decided.some((record) => isSameRecord(record, candidate)))
    .map(({ platform, platform_id }) => ({ platform, platform_id }));
}

/**
 * The standing decision with which a new decision about these records would conflict: a decision about both records,
 * otherwise the latest one about one of them.
 */
export function concerning(
  standing: readonly ListedDecision[],
  records: readonly RecordName[],
): ListedDecision | undefined {
  const named = (one: ListedDecision): number =>
    records.filter((record) => one.records.some((decided) => isSameRecord(decided, record))).length;
  return standing.find((one) => named(one) === records.length) ?? standing.find((one) => named(one) > 0);
}

/** Why the rule did not link a record with a candidate. */
export function whyNotLinked(
  one: Pick<CaseDetail, 'records' | 'candidates'> & { readonly number?: string | null },
  candidate: CaseDetail['candidates'][number],
): string {
  const [record] = one.records;
  const others = one.candidates.length;
  if (candidate.linked) {
    return `Its object already has a record on ${record?.platform ?? 'the other platform'}, so a link needs a decision about that one first.`;
  }
  const repeated =
    others > 1 ? `${others} records of ${candidate.platform} have it` : 'it occurs more than once';
  return `Both have the key ${one.number ?? ''}, but ${repeated}, and no common parent tells them apart. The rule links only what is certain.`;
}

const refusals: Readonly<Record<components['schemas']['EvidenceCandidate']['why'], string>> = {
  ruled_out: 'a person had said that it is another thing',
  other_parent: 'its parent was another one',
  no_parent: 'it had no parent',
  repeats: 'several records had its key and parent, or its place was taken',
};

/** Why a link that was made left this record out, in the words of its evidence; undefined where it does not say. */
export function evidenceWords(
  evidence: readonly components['schemas']['LinkEvidenceResponse'][],
  record: RecordName,
): string | undefined {
  const found = evidence.flatMap(({ candidates }) => candidates).find((one) => isSameRecord(one, record));
  return found === undefined
    ? undefined
    : `When its object was linked, this record was left out: ${refusals[found.why]}.`;
}
