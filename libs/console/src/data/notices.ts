import { skipToken, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';

/** A write of which the person has not learned: they had gone elsewhere when it failed. */
export interface Notice {
  /** Of the dialog that sent it. */
  readonly title: string;
  readonly error: unknown;
  /** Whether no answer tells whether it had its effect. */
  readonly isUnknown: boolean;
}

const queryKey = ['notices'];

/** Tells of a write. Notices are kept with what was read: they outlive each screen, and not the session. */
export function tell(queries: QueryClient, notice: Notice): void {
  queries.setQueryData<readonly Notice[]>(queryKey, (before = []) => [...before, notice]);
}

/** What the person has to be told, and how to take one away that they have read. */
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
