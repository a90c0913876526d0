import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useMe } from '../data/queries';
import { ErrorNote } from './error-note';
import { Skeleton } from './skeleton';

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>;
  /** What is loading: `the statement`. */
  readonly what: string;
  /** Rows of the skeleton: as many as usually come. */
  readonly rows?: number;
  readonly children: (data: Data) => ReactNode;
}

/**
 * What was read, and how it stands with it: a skeleton before there is anything, an error with a way to try again, and with an
 * error later what was read before, marked with its time. Nothing shows before it is known what the key may do and in which
 * time zone the customer reads: columns would move, and times change.
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
        <div className={isPlaceholderData ? 'outdated' : undefined}>{children(data)}</div>
      )}
      {data === undefined && error === null && <Skeleton what={what} rows={rows} />}
    </div>
  );
}
