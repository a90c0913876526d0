import { useState, type ReactNode } from 'react';
import type { Case } from '../../data/cases';
import { AcceptDialog, AssignDialog, NoteDialog, TakeBackDialog, type ReviewDialog } from './review-dialogs';

interface CaseReviewProps {
  /** The cases that the person chose, by their IDs: all of them are changed, or none. */
  readonly cases: readonly Case[];
  readonly onDone?: () => void;
}

/**
 * Who works on cases, whether their differences may stay, and notes about one. Every act is confirmed. Closed cases are not
 * offered any, but a dialog that is open stays.
 */
export function CaseReview({ cases, onDone }: CaseReviewProps): ReactNode {
  // A component is a function, and React would call one that it is given to set.
  const [shown, setShown] = useState<{ readonly Dialog: ReviewDialog }>();
  const has = (state: Case['state']): boolean => cases.some((one) => one.state === state);
  const isClosed = cases.every(({ state }) => state === 'closed');
  const close = (): void => setShown(undefined);
  const offers: readonly (readonly [string, ReviewDialog, boolean])[] = [
    ['Assign …', AssignDialog, !isClosed],
    ['Accept …', AcceptDialog, has('open')],
    ['Take acceptance back …', TakeBackDialog, has('accepted')],
    ['Add a note …', NoteDialog, cases.length === 1 && !isClosed],
  ];
  return (
    <div className="actions">
      {offers.map(([words, Dialog, isOffered]) =>
        isOffered ? (
          <button key={words} type="button" onClick={() => setShown({ Dialog })}>
            {words}
          </button>
        ) : null,
      )}
      {shown !== undefined && (
        <shown.Dialog
          cases={cases}
          onClose={close}
          onDone={() => {
            close();
            onDone?.();
          }}
        />
      )}
    </div>
  );
}
