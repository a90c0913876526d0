import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useApi } from '../data/api';
import type { CaseDetail } from '../data/cases';
import { ErrorNote } from '../parts/error-note';
import { Instant } from '../parts/values/instant';
import { decisionWords, nameOf } from '../parts/words/decision-words';
import type { Failure } from './asked-dialog';
import { concerning } from './pair';
import { useWithdrawal, WithdrawButton } from '../parts/dialogs/withdraw-decisions';

/** As many as the API gives at once. The one in the way is mostly among the latest. */
const MOST_DECISIONS = 500;

interface ConflictProps {
  readonly failure: Failure;
  readonly type: CaseDetail['entity_type'];
  readonly onWithdrawn: () => void;
}

/** A decision that was refused: why, and what another person has decided meanwhile. */
export function Conflict({ failure: { error, records, made }, type, onWithdrawn }: ConflictProps): ReactNode {
  const api = useApi();
  const withdrawal = useWithdrawal(onWithdrawn);
  const standing = useQuery({
    queryKey: ['decisions', type, 'standing'],
    queryFn: ({ signal }) =>
      api.decisions({ status: 'standing', entity_type: type, limit: MOST_DECISIONS }, { signal }),
    staleTime: 0,
  });
  const byOthers = (standing.data?.data ?? []).filter(({ id }) => made.every((own) => own.id !== id));
  const found = concerning(byOthers, records);
  return (
    <>
      <ErrorNote error={error} />
      {found !== undefined && (
        <div className="note warning text">
          <p>
            <strong>
              <bdi>{found.decided_by}</bdi>
            </strong>{' '}
            has decided, <Instant at={found.decided_at} />: {decisionWords(found.decision)},{' '}
            {found.records.map(nameOf).join(' and ')}.
          </p>
          <p>
            Reason: <bdi>{found.reason}</bdi>
          </p>
          {found.id !== null && (
            <WithdrawButton
              id={found.id}
              what={found.records.map(nameOf).join(' and ')}
              onAsk={withdrawal.ask}
            />
          )}
        </div>
      )}
      {withdrawal.dialog}
    </>
  );
}
