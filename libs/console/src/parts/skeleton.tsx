import type { ReactNode } from 'react';

/** The outline of a table that is loading. It shows after 0.3 s alone: what comes sooner needs none. */
export function Skeleton({ what, rows }: { readonly what: string; readonly rows: number }): ReactNode {
  return (
    <div className="skeleton">
      <p className="hidden">Loading {what} …</p>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="bone" />
      ))}
    </div>
  );
}
