import type { ReactNode } from 'react';
import { countText } from '../parts/values/money-text';
import { WithdrawDecisions } from '../parts/dialogs/withdraw-decisions';
import type { Decided } from '../data/decisions';
import type { LastDecision } from './last-decision';

interface UndoProps {
  readonly last: LastDecision;
  readonly asks: boolean;
  readonly onAsk: () => void;
  /** With the decisions that were withdrawn before the person gave up. */
  readonly onClose: (ended: readonly Decided[]) => void;
  readonly onDone: () => void;
}

/** What was decided last, how many cases are left, and the way back. */
export function Undo({ last, asks, onAsk, onClose, onDone }: UndoProps): ReactNode {
  const { ids, words, label, left } = last;
  return (
    <>
      <span className="text">
        Last: {words}, <bdi>{label}</bdi>. {leftWords(left)}
      </span>
      {ids.length > 0 && (
        <button type="button" onClick={onAsk}>
          Undo … <kbd>U</kbd>
        </button>
      )}
      {ids.length > 0 && asks && <WithdrawDecisions ids={ids} onClose={onClose} onDone={onDone} />}
    </>
  );
}

function leftWords(left: LastDecision['left']): string {
  if (left === undefined) return 'Counting what is left …';
  return left === null ? '' : `${countText(left)} left.`;
}
