import type { ReactNode } from 'react';
import type { ShownQuery } from '../data/pages';
import { useMe } from '../data/queries';
import { ErrorNote } from './error-note';
import { Skeleton } from './skeleton';

interface LoadedProps<Data> {
  readonly query: ShownQuery<Data>;
  /** What is loading: `the statement`. */
  readonly what: string;
  /** Rows of the skeleton: as many as usually come. */
  readonly rows?: number;
  readonly children: (data: Data) => ReactNode;
}

/**
 * Shows the result of a query: a skeleton before the first result; an error with a button to try again; after a later
 * error, the previous result marked with its time. It shows nothing until the permissions of the key and the customer's
 * time zone are known, because otherwise columns would move and times would change.
 */
export function Loaded<Data>({ query, what, rows = 6, children }: LoadedProps<Data>): ReactNode {
  const { error, isFetching, isPlaceholderData, dataUpdatedAt } = query;
  const data = useMe().isPending ? undefined : query.data;
  return (
    <div aria-busy={isFetching}>
      {error !== null && (
        <ErrorNote
          error={error}
          retry={() => void query.refetch()}
          shownSince={data === undefined ? 0 : dataUpdatedAt}
        />
      )}
      {data !== undefined && (
        <div className={isPlaceholderData ? 'outdated' : undefined}>
          {isPlaceholderData && (
            <p className="meanwhile">
              <span>What you asked for is being read: this is what you saw before.</span>
            </p>
          )}
          {children(data)}
        </div>
      )}
      {data === undefined && error === null && <Skeleton what={what} rows={rows} />}
    </div>
  );
}
