import { useId, type ReactNode } from 'react';
import type { CaseDetail } from '../data/cases';
import { countText } from '../parts/values/money-text';
import { FieldValue } from '../parts/values/field-value';
import { nameOf } from '../parts/words/decision-words';
import type { RecordName } from '../data/decisions';
import { isSameRecord } from './queue';

type Candidate = CaseDetail['candidates'][number];

interface CandidatesProps {
  readonly candidates: readonly Candidate[];
  readonly chosen: RecordName | undefined;
  readonly onChoose: (candidate: Candidate) => void;
}

/** The records that may be the same. A decision is about one of them. */
export function Candidates({ candidates, chosen, onChoose }: CandidatesProps): ReactNode {
  const group = useId();
  return (
    <fieldset>
      <legend>
        {candidates.length === 1
          ? '1 candidate'
          : `${candidates.length} candidates: choose one to decide about`}
      </legend>
      {candidates.map((candidate, index) => (
        <label key={nameOf(candidate)} className="text">
          <input
            type="radio"
            name={group}
            checked={chosen !== undefined && isSameRecord(chosen, candidate)}
            onChange={() => onChoose(candidate)}
          />{' '}
          {index + 1}: {nameOf(candidate)} <Differences candidate={candidate} />
        </label>
      ))}
    </fieldset>
  );
}

function Differences({
  candidate: { compared = [], linked, platform },
}: {
  readonly candidate: Candidate;
}): ReactNode {
  const differing = compared.filter(({ same }) => same === false);
  const amount = compared.find(({ field }) => field === 'amount')?.values[platform];
  return (
    <span className="quiet">
      {amount !== undefined && (
        <>
          <FieldValue of={amount.canonical} />,{' '}
        </>
      )}
      {differing.length === 0 ? '= no field differs' : `≠ ${countText(differing.length)} differ: `}
      {differing
        .slice(0, 5)
        .map(({ field }) => field)
        .join(', ')}
      {linked && ' (linked to another record)'}
    </span>
  );
}
