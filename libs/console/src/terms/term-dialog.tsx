import type { TermReason } from '@app/client';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Confirm } from '../parts/dialogs/confirm';
import { useWhy, WhyFields } from '../parts/dialogs/why-fields';

interface TermDialogProps {
  readonly title: string;
  /** The button's words. */
  readonly act: string;
  /** What will hold, and what holds now. */
  readonly children: ReactNode;
  /** Sets or ends the term. Repeating it has no further effect, so it needs no idempotency key. */
  readonly send: (why: Required<TermReason>) => Promise<unknown>;
  readonly done: string;
  readonly onClose: () => void;
}

/** Asks before a term is set or ended, for the reason and the name that the history keeps. */
export function TermDialog({ title, act, children, send, done, onClose }: TermDialogProps): ReactNode {
  const queries = useQueryClient();
  const why = useWhy();
  return (
    <Confirm
      title={title}
      act={act}
      send={() => send(why.members)}
      done={() => done}
      onDone={() => {
        // Statements, cases, sign-offs and objects all read by the terms of now.
        void queries.invalidateQueries();
        onClose();
      }}
      onClose={onClose}
    >
      {children}
      <WhyFields why={why} />
      <p className="quiet">
        It takes effect with the next request and changes no record. What is shown as of an earlier time keeps
        the terms of then; figures that were signed may be others from now on.
      </p>
    </Confirm>
  );
}
