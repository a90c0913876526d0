import type { ReactNode } from 'react';
import type { Verdict } from './statement-words';

const marks = { tied: '●', offset: '◐', open: '≠' } as const;

/** A verdict in words, with a mark that does not need its colour. */
export function VerdictMark({ verdict: { state, words } }: { readonly verdict: Verdict }): ReactNode {
  return (
    <span className={`verdict ${state}`}>
      <span aria-hidden="true">{marks[state]}</span> {words}
    </span>
  );
}
