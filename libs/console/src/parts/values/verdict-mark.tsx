import type { ReactNode } from 'react';

/** A judgement about figures: good, neither, or bad. */
export interface Verdict {
  readonly state: 'tied' | 'offset' | 'open';
  readonly words: string;
}

const marks = { tied: '●', offset: '◐', open: '≠' } as const;

/** A verdict in words, with a mark that does not need its colour. */
export function VerdictMark({ verdict: { state, words } }: { readonly verdict: Verdict }): ReactNode {
  return (
    <span className={`verdict ${state}`}>
      <span aria-hidden="true">{marks[state]}</span> {words}
    </span>
  );
}
