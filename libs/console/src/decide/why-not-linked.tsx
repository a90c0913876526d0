import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useApi } from '../data/api';
import type { CaseDetail } from '../data/cases';
import { ErrorNote } from '../parts/error-note';
import { Instant } from '../parts/values/instant';
import { nameOf } from '../parts/words/decision-words';
import { evidenceWords, whyNotLinked } from './pair';
import type { RecordName } from '../data/decisions';
import { isSameRecord } from './queue';
import { useWithdrawal, WithdrawButton } from '../parts/dialogs/withdraw-decisions';

interface WhyNotLinkedProps {
  readonly one: CaseDetail;
  readonly chosen: RecordName | undefined;
  readonly onWithdrawn: () => void;
}

/**
 * Why the records are not linked: the matching rule's reason, the evidence of an existing link, and the decisions of
 * people against the link.
 */
export function WhyNotLinked({ one, chosen, onWithdrawn }: WhyNotLinkedProps): ReactNode {
  const api = useApi();
  const withdrawal = useWithdrawal(onWithdrawn);
  const candidate = one.candidates.find((each) => chosen !== undefined && isSameRecord(each, chosen));
  const own = useQuery({
    queryKey: ['object', one.canonical_id],
    queryFn: ({ signal }) => api.object(one.canonical_id, { signal }),
    enabled: one.state !== 'closed',
  });
  const linked = useQuery({
    queryKey: ['object', candidate?.canonical_id],
    queryFn: ({ signal }) => api.object(candidate?.canonical_id ?? '', { signal }),
    enabled: candidate?.linked === true,
  });
  const [record] = one.records;
  const evidence = record && evidenceWords(linked.data?.evidence ?? [], record);
  const ruledOut = own.data?.ruled_out ?? [];
  return (
    <>
      {(candidate !== undefined || ruledOut.length > 0 || own.error !== null) && (
        <section aria-label="Why not linked">
          <h3>Why not linked</h3>
          {candidate !== undefined && <p className="text">{whyNotLinked(one, candidate)}</p>}
          {evidence !== undefined && <p>{evidence}</p>}
          {own.error !== null && <ErrorNote error={own.error} retry={() => void own.refetch()} />}
          {ruledOut.length > 0 && (
            <ul>
              {ruledOut.map((ruled) => (
                <li key={ruled.decision_id} className="text">
                  Not the same as {nameOf(ruled)}, said <bdi>{ruled.decided_by}</bdi>,{' '}
                  <Instant at={ruled.at} />: <bdi>{ruled.reason}</bdi>{' '}
                  <WithdrawButton id={ruled.decision_id} what={nameOf(ruled)} onAsk={withdrawal.ask} />
                </li>
              ))}
            </ul>
          )}
        </section>
      )}
      {withdrawal.dialog}
    </>
  );
}
