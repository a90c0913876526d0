import type { ReactNode } from 'react';

const marks = { same: ['=', 'the same'], other: ['≠', 'differs'], alone: ['·', 'one side only'] } as const;

/** Whether two sides agree on a field, as a mark and a word; null if only one of them has a value. */
export function SameMark({ same }: { readonly same: boolean | null }): ReactNode {
  const name = same === null ? 'alone' : same ? 'same' : 'other';
  const [mark, words] = marks[name];
  return (
    <span className={`mark ${name}`}>
      <span aria-hidden="true">{mark}</span> {words}
    </span>
  );
}
