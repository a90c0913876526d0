import type { CaseDetail } from '../data/cases';
import type { RecordName } from '../data/decisions';
import { isAmount, type Amount } from '../parts/values/money-text';
import { isSameRecord } from './queue';

/** By what people know a record: its number, title or name, and its amount. */
export interface RecordFacts {
  /** Empty where it has none. */
  readonly names: string;
  readonly amount: Amount | undefined;
}

/** A record that a person has chosen, with its facts where the case does not have them. */
export interface ChosenRecord extends RecordName {
  readonly facts?: RecordFacts;
}

/** A record and its facts; undefined where they are not known. */
export interface KnownRecord extends RecordName {
  readonly facts: RecordFacts | undefined;
}

/** The facts of a record by its fields. */
export function factsOf(valueOf: (field: string) => unknown): RecordFacts {
  const amount = valueOf('amount');
  return {
    names: ['check_number', 'number', 'title', 'name']
      .map(valueOf)
      .filter((name) => typeof name === 'string' && name !== '')
      .join(' '),
    amount: isAmount(amount) ? amount : undefined,
  };
}

type Findings = Pick<CaseDetail, 'records' | 'candidates' | 'compared'>;

/** A record of a decision with its facts: those of the case, of a candidate, or of what was found beside the case. */
export function known(
  { records, candidates, compared }: Findings,
  record: RecordName,
  chosen: ChosenRecord | undefined,
): KnownRecord {
  const { platform, platform_id } = record;
  const isIt = (other: RecordName): boolean => isSameRecord(other, record);
  const fields = records.some(isIt) ? compared : candidates.find(isIt)?.compared;
  const facts =
    fields === undefined
      ? chosen !== undefined && isIt(chosen)
        ? chosen.facts
        : undefined
      : factsOf((field) => fields.find((one) => one.field === field)?.values[platform]?.canonical);
  return { platform, platform_id, facts };
}
