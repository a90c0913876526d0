import type { ReactNode } from 'react';

/** Says in a dialog about a case that it is closed by now. What the person has written stays until they close the dialog. */
export function ClosedMeanwhile(): ReactNode {
  return (
    <p className="note warning" role="status">
      <span aria-hidden="true">▲ </span>
      <strong>The case is closed by now.</strong> What you have written stays here until you close this.
      Cancel shows what closed the case.
    </p>
  );
}
