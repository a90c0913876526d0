import type { ReactNode } from 'react';
import { AriaDisabledButton } from '../aria-disabled-button';

interface PagerProps {
  /** What the pages are of, for the names of the buttons: `changes`. */
  readonly what: string;
  /** Where there is no such page it is undefined, as `usePages` has it. */
  readonly previous: (() => void) | undefined;
  readonly next: (() => void) | undefined;
  /** Which rows show, of how many. */
  readonly children?: ReactNode;
}

/** Ways to the page before and the page after. A list of one page has none. */
export function Pager({ what, previous, next, children }: PagerProps): ReactNode {
  if (previous === undefined && next === undefined && children === undefined) return null;
  return (
    <nav className="actions" aria-label={`Pages of ${what}`}>
      <AriaDisabledButton isOff={previous === undefined} onClick={() => previous?.()}>
        Previous
      </AriaDisabledButton>
      {children !== undefined && <span role="status">{children}</span>}
      <AriaDisabledButton isOff={next === undefined} onClick={() => next?.()}>
        Next
      </AriaDisabledButton>
    </nav>
  );
}
