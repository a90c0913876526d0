import type { ListedPropagation, PropagationDecision } from '@app/client';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { readAgainAfterChange } from '../data/read-again';
import { useApi } from '../data/api';
import type { Platform } from '../data/queries';
import { Confirm } from '../parts/dialogs/confirm';
import { Outcome } from '../parts/outcome';
import { outcomeWords, type PlatformOutcome } from '../parts/words/outcome-words';
import { useWhy, WhyFields } from '../parts/dialogs/why-fields';

type Action = PropagationDecision['action'];

const acts = {
  retry: {
    button: 'Retry',
    title: 'Take the write up again?',
    act: 'Retry now',
    what: 'The service first looks whether the write happened. It sends the write again only if it did not.',
  },
  discard: {
    button: 'Discard',
    title: 'Give the write up?',
    act: 'Discard the write',
    what: 'The write ends, and what was accepted of it is taken back. If it was sent and nobody knows whether it happened, the next reading of the platform shows it.',
  },
} as const satisfies Record<Action, object>;

/** A write, and what the person is about to do with it. */
export interface Asked {
  readonly action: Action;
  readonly change: ListedPropagation;
  readonly platform: Platform;
  readonly outcome: PlatformOutcome;
}

interface DecideWriteProps extends Omit<Asked, 'action'> {
  readonly onAsk: (asked: Asked) => void;
}

/** Ways to go on with a write that waits or is held. */
export function DecideWrite({ onAsk, ...write }: DecideWriteProps): ReactNode {
  return (
    <div className="actions">
      {(['retry', 'discard'] as const).map((action) => (
        <button key={action} type="button" className="small" onClick={() => onAsk({ action, ...write })}>
          {acts[action].button}
          <span className="hidden"> on {write.platform}</span>
        </button>
      ))}
    </div>
  );
}

interface DecisionDialogProps extends Asked {
  readonly onClose: () => void;
}

/** Asks before a decision about a write. It is not part of the row, which may go while the person writes the reason. */
export function DecisionDialog({
  action,
  change,
  platform,
  outcome,
  onClose,
}: DecisionDialogProps): ReactNode {
  const api = useApi();
  const queries = useQueryClient();
  const why = useWhy();
  const { title, act, what } = acts[action];
  return (
    <Confirm
      title={title}
      act={act}
      send={({ idempotencyKey }) =>
        api.decidePropagation(change.propagation_id, { platform, action, ...why.members }, { idempotencyKey })
      }
      done={({ propagated }) => {
        const status = propagated[platform]?.status;
        return status === undefined ? 'Decided.' : `Decided. ${platform}: ${outcomeWords(status)[1]}.`;
      }}
      onDone={() => {
        onClose();
        void readAgainAfterChange(queries);
      }}
      onClose={onClose}
    >
      <Outcome platform={platform} outcome={outcome} />
      <p>{what}</p>
      <WhyFields why={why} />
    </Confirm>
  );
}
