import type { components } from '@app/client';
import { useEffect, useRef, type ReactNode } from 'react';
import { Link } from 'wouter';
import { platforms } from '../../data/queries';
import { hrefOf } from '../../location';
import { followFocus } from '../../parts/dialogs/follow-focus';
import { Outcome } from '../../parts/outcome';

export type SettleResult = components['schemas']['PropagateResult'];

interface SettledNoteProps {
  /** Of the object. */
  readonly id: string;
  readonly result: SettleResult;
  readonly onClose: () => void;
}

/** What became of the change on each platform. It takes the focus: the button that sent it may be gone. */
export function SettledNote({ id, result, onClose }: SettledNoteProps): ReactNode {
  const note = useRef<HTMLElement>(null);
  useEffect(() => note.current?.focus(), [result]);
  return (
    <section ref={note} className="note" tabIndex={-1} aria-label="What became of the change">
      {platforms.flatMap((platform) => {
        const outcome = result.propagated[platform];
        return outcome === undefined
          ? []
          : [<Outcome key={platform} platform={platform} outcome={outcome} />];
      })}
      <p className="facts">
        <Link href={hrefOf('/changes', { canonical_id: id })}>All changes of this object</Link>
        <button
          type="button"
          className="small"
          onClick={() => {
            followFocus();
            onClose();
          }}
        >
          Close
        </button>
      </p>
    </section>
  );
}
