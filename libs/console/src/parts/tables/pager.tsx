import type { ReactNode } from 'react';
import type { Steps } from '../../data/pages';
import { AriaDisabledButton } from '../aria-disabled-button';
import { ErrorNote } from '../error-note';

interface PagerProps {
  /** What the pages are of, for the names of the buttons: `changes`. */
  readonly what: string;
  /** Of `usePages`. */
  readonly steps: Steps;
  /** Which rows show, of how many. */
  readonly children?: ReactNode;
}

/**
 * Ways to the page before and the page after, at the end of a list. A page that could not be read is told there: the list
 * stays. A list of one page has none.
 */
export function Pager({ what, steps: { previous, next, failure }, children }: PagerProps): ReactNode {
  if (previous === undefined && next === undefined && children === undefined) return null;
  return (
    <>
      {failure !== undefined && <ErrorNote {...failure} />}
      <nav className="actions" aria-label={`Pages of ${what}`}>
        <AriaDisabledButton isOff={previous === undefined} onClick={() => previous?.()}>
          Previous
        </AriaDisabledButton>
        {children !== undefined && <span role="status">{children}</span>}
        <AriaDisabledButton isOff={next === undefined} onClick={() => next?.()}>
          Next
        </AriaDisabledButton>
      </nav>
    </>
  );
}
