import type { ReactNode } from 'react';

/** A judgement about figures: good, neutral, or bad; or none, where there is nothing to judge. */
export interface MarkedStatus {
  readonly state: 'tied' | 'offset' | 'open' | 'none';
  readonly words: string;
}

const marks = { tied: '●', offset: '◐', open: '≠', none: '·' } as const;

/** A status in words, with a mark that does not need its colour. */
export function StatusMark({ status: { state, words } }: { readonly status: MarkedStatus }): ReactNode {
  return (
    <span className={`status-mark ${state}`}>
      <span aria-hidden="true">{marks[state]}</span> {words}
    </span>
  );
}
