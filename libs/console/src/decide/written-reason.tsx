import type { ReactNode } from 'react';
import { CopyButton } from '../parts/copy-button';

/** The reason that a person was writing when the case was closed: it does not go with the form. */
export function WrittenReason({ reason }: { readonly reason: string }): ReactNode {
  return (
    <section className="note" aria-label="What you had written">
      <p>The case is closed. You had written this reason:</p>
      <p className="reason">{reason}</p>
      <CopyButton text={reason} what="reason" />
    </section>
  );
}
