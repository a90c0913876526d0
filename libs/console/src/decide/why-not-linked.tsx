import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useApi } from '../data/api';
import type { CaseDetail } from '../data/cases';
import { useMay } from '../data/queries';
import { Instant } from '../parts/values/instant';
import { evidenceWords, nameOf, whyNotLinked } from './pair';
import { isSameRecord, type RecordName } from './queue';
import { Withdraw } from './withdraw';

interface WhyNotLinkedProps {
  readonly one: CaseDetail;
  readonly chosen: RecordName | undefined;
  readonly onWithdrawn: () => void;
}

/** Why the records are not linked: by the rule, by the evidence of a link that was made, and by what people have ruled out. */
export function WhyNotLinked({ one, chosen, onWithdrawn }: WhyNotLinkedProps): ReactNode {
  const api = useApi();
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
  if (candidate === undefined && ruledOut.length === 0) return null;
  return (
    <section aria-label="Why not linked">
      <h3>Why not linked</h3>
      {candidate !== undefined && <p className="text">{whyNotLinked(one, candidate)}</p>}
      {evidence !== undefined && <p>{evidence}</p>}
      {ruledOut.length > 0 && (
        <ul>
          {ruledOut.map((ruled) => (
            <li key={ruled.decision_id} className="text">
              Not the same as {nameOf(ruled)}, said {ruled.decided_by}, <Instant at={ruled.at} />:{' '}
              {ruled.reason} <WithdrawButton id={ruled.decision_id} onWithdrawn={onWithdrawn} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Offers to withdraw a decision that stands, to keys that may. */
export function WithdrawButton(props: { readonly id: string; readonly onWithdrawn: () => void }): ReactNode {
  const [asks, setAsks] = useState(false);
  if (!useMay('decide')) return null;
  return (
    <>
      <button type="button" className="small" onClick={() => setAsks(true)}>
        Withdraw …
      </button>
      {asks && (
        <Withdraw
          id={props.id}
          onClose={() => setAsks(false)}
          onDone={() => {
            setAsks(false);
            props.onWithdrawn();
          }}
        />
      )}
    </>
  );
}
