import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { keep, keptAs } from './kept';

/** A page of a list, as the API has it. */
export interface KeysetPage<Row> {
  readonly data: readonly Row[];
  /** Null on the last page. */
  readonly next_cursor: string | null;
}

/** A page, and the query that it was read for: while another list is read, the one before still shows. */
export interface QueriedPage<Row, Query> extends KeysetPage<Row> {
  readonly query: Query;
}

/** Cursors of the pages that led to the one that shows; empty on the first. */
export type Trail = readonly string[];

/** The trail after a step to the next page, or back to the one before. */
export function step(trail: Trail, to: 'next' | 'previous', next: string | null): Trail {
  if (to === 'previous') return trail.slice(0, -1);
  return next === null ? trail : [...trail, next];
}

interface Place {
  readonly list: string;
  readonly trail: Trail;
}

function nameOf({ list, trail }: Place): string {
  return [list, ...trail].join(' ');
}

/** Milliseconds between two looks at a page that changes by itself. */
const LOOK_EVERY = 5_000;

/** Rows of a page. */
export const PAGE_SIZE = 100;

/** What a list shows, as the query of its page has it. */
export type ShownQuery<Page> = Pick<
  UseQueryResult<Page>,
  'data' | 'error' | 'isFetching' | 'isPlaceholderData' | 'dataUpdatedAt' | 'refetch'
>;

/** Ways from a page to others. */
export interface Steps {
  /** Go to the page before and the page after; undefined if there is no such page. */
  readonly previous: (() => void) | undefined;
  readonly next: (() => void) | undefined;
  /** Why the page that the person asked for does not show; undefined where it does. */
  readonly failure: { readonly error: Error; readonly retry: () => void } | undefined;
}

export interface Pages<Row, Page extends KeysetPage<Row>> extends Steps {
  readonly query: ShownQuery<Page>;
  /** The number of the first visible row in the list, from 1, of a list whose pages before this one are full. */
  readonly firstRow: number;
}

/** A page that has come, and where it is. */
interface Shown<Page> extends Place {
  readonly page: Page;
}

/**
 * A list, page by page. Only the visible page is in the document, however long the list is. A list with another key
 * begins at its first page. A person who returns to the same list is on the page that they left. A page that cannot be read
 * leaves the one that shows where it is.
 *
 * @param read reads the page at a cursor (undefined for the first page), with {@link PAGE_SIZE} as its limit
 * @param changesSoon whether a page will soon be another one by itself: then it is read again every few seconds
 */
export function usePages<Row, Page extends KeysetPage<Row>>(
  queryKey: readonly unknown[],
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page>,
  changesSoon?: (page: Page) => boolean,
): Pages<Row, Page> {
  const list = JSON.stringify(queryKey);
  const queries = useQueryClient();
  const placeName = `place in ${String(queryKey[0])}`;
  const [asked, setAsked] = useState<Place>(() => keptAs<Place>(queries, placeName) ?? { list, trail: [] });
  const trail = asked.list === list ? asked.trail : [];
  const query = useQuery({
    queryKey: [...queryKey, trail.at(-1)],
    queryFn: ({ signal }) => read(trail.at(-1), signal),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) =>
      state.data !== undefined && changesSoon?.(state.data) === true ? LOOK_EVERY : false,
  });
  const { data, error, isPlaceholderData } = query;
  // While another page is read, or cannot be read, the one before shows, and is counted.
  const [shown, setShown] = useState<Shown<Page>>();
  if (data !== undefined && !isPlaceholderData && shown?.page !== data) setShown({ list, trail, page: data });
  useEffect(() => {
    if (shown !== undefined) keep(queries, placeName, { list: shown.list, trail: shown.trail });
  }, [queries, placeName, shown]);
  const before = error !== null && data === undefined && shown?.list === list ? shown : undefined;
  const here = before?.trail ?? trail;
  const cursor = (before?.page ?? data)?.next_cursor ?? null;
  const go = (to: 'next' | 'previous') => (): void => {
    const next = step(here, to, cursor);
    if (nameOf({ list, trail: next }) === nameOf({ list, trail })) void query.refetch();
    else setAsked({ list, trail: next });
  };
  return {
    query: before === undefined ? query : { ...query, data: before.page, error: null },
    firstRow: (shown?.trail ?? trail).length * PAGE_SIZE + 1,
    previous: here.length === 0 ? undefined : go('previous'),
    // The page that still stands while the next is read has a cursor of its own, which is not that of this place.
    next: cursor === null || isPlaceholderData ? undefined : go('next'),
    failure: before && error !== null ? { error, retry: () => void query.refetch() } : undefined,
  };
}

/** As {@link usePages}, of a list whose pages have no more than the API's: each says which query it was read for. */
export function useQueriedPages<Row, Query extends object>(
  queryKey: readonly unknown[],
  query: Query,
  read: (
    page: Query & { readonly limit: number; readonly cursor?: string },
    call: { readonly signal: AbortSignal },
  ) => Promise<KeysetPage<Row>>,
  changesSoon?: (page: KeysetPage<Row>) => boolean,
): Pages<Row, QueriedPage<Row, Query>> {
  return usePages(
    queryKey,
    async (cursor, signal) => ({
      ...(await read({ ...query, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) }, { signal })),
      query,
    }),
    changesSoon,
  );
}
