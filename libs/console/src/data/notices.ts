import { skipToken, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';

/** A failed write whose dialog was gone when it failed, because the person had left the page. */
export interface Notice {
  /** Of the dialog that sent it. */
  readonly title: string;
  readonly error: unknown;
  /** Whether it is unknown if the write had its effect. */
  readonly isUnknown: boolean;
}

const queryKey = ['notices'];

/** Adds a notice. Notices are kept in the session's cache: they outlive each screen, but not the session. */
export function tell(queries: QueryClient, notice: Notice): void {
  queries.setQueryData<readonly Notice[]>(queryKey, (before = []) => [...before, notice]);
}

/** The notices that the person has not closed, and a function that closes one. */
export function useNotices(): [readonly Notice[], (read: Notice) => void] {
  const queries = useQueryClient();
  const { data = [] } = useQuery<readonly Notice[]>({
    queryKey,
    queryFn: skipToken,
    gcTime: Infinity,
    structuralSharing: false,
  });
  const close = (read: Notice): void => {
    queries.setQueryData<readonly Notice[]>(queryKey, (before = []) => before.filter((one) => one !== read));
  };
  return [data, close];
}
