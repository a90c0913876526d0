import type { components, operations, TranslationClient } from '@app/client';
import { queryOptions, useQuery, type QueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useApi } from './api';

type Schemas = components['schemas'];
export type Me = Schemas['Me'];
export type Permission = Me['key']['permissions'][number];
export type Connection = Schemas['ConnectionRecord'];
export type Statement = Schemas['StatementResponse'];
export type FoundObject = Schemas['FoundObject'];
export type StatementQuery = NonNullable<operations['getStatement']['parameters']['query']>;

/** The platforms, in order of precedence. */
export const platforms = ['platform_a', 'platform_b'] as const satisfies readonly Connection['platform'][];
export type Platform = (typeof platforms)[number];

/**
 * Keys of the query cache, from the general to the particular: invalidating `['statement']` reads every statement
 * again. They do not contain the API key; the cache is emptied when the session ends.
 */
export const queryKeys = {
  me: ['me'],
  connections: ['connections'],
  statement: (query: StatementQuery) => ['statement', query],
} as const;

const meOf = (api: TranslationClient) =>
  queryOptions({
    queryKey: queryKeys.me,
    queryFn: ({ signal }) => api.me({ signal }),
    staleTime: 300_000,
    // Every part of a page that shows reads it. After an error each would ask again as it comes; Retry asks once.
    retryOnMount: false,
  });

/** The caller: whose key it is, what it may do, the time zone and currencies of the customer. */
export function useMe(): UseQueryResult<Me> {
  return useQuery(meOf(useApi()));
}

/** Whether the key has a permission. What it may not do is not offered. */
export function useMay(permission: Permission): boolean {
  return useMe().data?.key.permissions.includes(permission) ?? false;
}

/** The customer's time zone; UTC until it is known. */
export function useTimeZone(): string {
  return useMe().data?.customer.time_zone ?? 'UTC';
}

/** Milliseconds between two looks at a reading that is under way. */
const LOOK_EVERY = 1_500;

/**
 * The connections, looked at again and again while one of them is being read.
 *
 * @param options `watch`: a reading has been asked for; `enabled`: whether to read at all
 */
export function useConnections({ watch = false, enabled = true } = {}): UseQueryResult<Connection[]> {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.connections,
    queryFn: ({ signal }) => api.listConnections({ signal }),
    enabled,
    refetchInterval: ({ state }) =>
      watch || state.data?.some(({ sync }) => sync?.status === 'running') ? LOOK_EVERY : false,
  });
}

/** A statement, what it was read for, and the ID of the request that read it: an auditor asks for it. */
export type ReadStatement = Statement & { readonly query: StatementQuery; readonly requestId: string };

/** Reasons that pass by themselves within seconds. */
const passing: ReadonlySet<string> = new Set(['comparing', 'run_under_way']);

const statementOf = (api: TranslationClient, query: StatementQuery) =>
  queryOptions({
    queryKey: queryKeys.statement(query),
    queryFn: async ({ signal }): Promise<ReadStatement> => {
      let requestId = '';
      const onResponse = (facts: { readonly requestId: string }): void => void ({ requestId } = facts);
      return { ...(await api.statement(query, { signal, onResponse })), query, requestId };
    },
  });

/**
 * The statement of a query. It is read again while it is incomplete and soon will be complete. While another statement
 * is read, the previous one stays visible.
 */
export function useStatement(query: StatementQuery): UseQueryResult<ReadStatement> {
  return useQuery({
    ...statementOf(useApi(), query),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) =>
      state.data?.reasons.some(({ reason }) => passing.has(reason)) ? LOOK_EVERY : false,
  });
}

/**
 * Reads the statement of a query once more when its component opens. `isFetchedAfterMount` says whether that has ended: with
 * the figures of now, or with an error.
 */
export function useLookAgain(query: StatementQuery): UseQueryResult<ReadStatement> {
  return useQuery({ ...statementOf(useApi(), query), refetchOnMount: 'always' });
}

/**
 * Begins to read the data that every screen shows, and the statement if that screen opens first. It is called before
 * the first render, because rendering the frame of a screen takes about as long as a response.
 */
export function readAhead(
  queries: QueryClient,
  api: TranslationClient,
  statement: StatementQuery | undefined,
): void {
  void queries.prefetchQuery(meOf(api));
  if (statement !== undefined) void queries.prefetchQuery(statementOf(api, statement));
}
