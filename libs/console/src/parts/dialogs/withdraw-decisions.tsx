import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useApi } from '../../data/api';
import type { Decided } from '../../data/decisions';
import { useMay } from '../../data/queries';
import { Loaded } from '../loaded';
import { decisionWords, nameOf, together } from '../words/decision-words';
import { Confirm } from './confirm';
import { DecisionEffects } from './decision-effects';
import { useWhy, WhyFields } from './why-fields';

interface WithdrawDecisionsProps {
  /** The decisions, in the order in which they end. */
  readonly ids: readonly string[];
  readonly onDone: () => void;
  /** With the decisions that were withdrawn before the person gave up. */
  readonly onClose: (ended: readonly Decided[]) => void;
}

/** Withdraws decisions about which records are one, after a dry run of what that does. */
export function WithdrawDecisions({ ids, onDone, onClose }: WithdrawDecisionsProps): ReactNode {
  const api = useApi();
  const why = useWhy();
  const isOne = ids.length === 1;
  // By the place of each decision. One that another person has withdrawn counts too: withdrawing it again changes nothing.
  const [ended, setEnded] = useState<readonly Decided[]>([]);
  const tried = useQuery({
    queryKey: ['withdrawal', ...ids],
    // A dry run writes nothing, and its answer does not depend on these words.
    queryFn: async ({ signal }) => {
      const body = { reason: 'Dry run', decided_by: 'Dry run', dry_run: true };
      return together(await Promise.all(ids.map((id) => api.withdraw(id, body, { signal }))));
    },
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Confirm
      title={isOne ? 'Withdraw the decision?' : `Withdraw these ${ids.length} decisions?`}
      act={isOne ? 'Withdraw it' : 'Withdraw them'}
      send={async ({ idempotencyKey }) => {
        const results: Decided[] = [];
        for (const [place, id] of ids.entries()) {
          results.push(await api.withdraw(id, why.members, { idempotencyKey: `${idempotencyKey}.${place}` }));
          setEnded([...results]);
        }
      }}
      done={() => 'Withdrawn. The rules decide again, and the candidates are back.'}
      isShown={tried.data !== undefined}
      onDone={onDone}
      onClose={() => onClose(ended)}
    >
      {ended.length > 0 && !isOne && <Ended of={ended} among={ids.length} />}
      <p>
        {isOne ? 'The decision stays' : 'The decisions stay'} in the list, with your reason. The rules then
        match the records anew.
      </p>
      <Loaded query={tried} what="what it will do" rows={2}>
        {(result) => <DecisionEffects result={result} />}
      </Loaded>
      <WhyFields why={why} />
    </Confirm>
  );
}

interface EndedProps {
  readonly of: readonly Decided[];
  readonly among: number;
}

/** Which of several decisions are withdrawn, where a later one was refused. */
function Ended({ of: ended, among }: EndedProps): ReactNode {
  return (
    <div className="note warning" role="status">
      <p>
        {ended.length} of these {among} decisions {ended.length === 1 ? 'is' : 'are'} withdrawn:
      </p>
      <ul>
        {ended.map(({ id, decision, records }) => (
          <li key={id} className="text">
            {decisionWords(decision)}, {records.map(nameOf).join(' and ')}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Withdrawing one of several decisions. */
export interface Withdrawal {
  /** Asks before a decision is withdrawn, by its ID. */
  readonly ask: (id: string) => void;
  /** Shows while it asks. It is not part of the row, which may go while the person writes the reason. */
  readonly dialog: ReactNode;
}

/** For a screen that shows decisions which may be withdrawn. */
export function useWithdrawal(onWithdrawn: () => void): Withdrawal {
  const [asked, setAsked] = useState<string>();
  const close = (): void => setAsked(undefined);
  return {
    ask: setAsked,
    dialog: asked !== undefined && (
      <WithdrawDecisions
        ids={[asked]}
        onClose={close}
        onDone={() => {
          close();
          onWithdrawn();
        }}
      />
    ),
  };
}

interface WithdrawButtonProps {
  readonly id: string;
  /** The records of the decision: among several buttons, whose it is. */
  readonly what: string;
  readonly onAsk: Withdrawal['ask'];
}

/** Offers to withdraw a decision that stands, to keys that may. */
export function WithdrawButton({ id, what, onAsk }: WithdrawButtonProps): ReactNode {
  if (!useMay('decide')) return null;
  return (
    <button type="button" className="small" onClick={() => onAsk(id)}>
      Withdraw …<span className="hidden"> {what}</span>
    </button>
  );
}
