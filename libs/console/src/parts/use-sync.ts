import { useMutation, useQueryClient } from '@tanstack/react-query';
import { announce } from './announcer';
import { countText } from './values/money-text';
import { useApi } from '../data/api';
import { queryKeys, type Platform } from '../data/queries';
import { readAgainAfterReading } from '../data/read-again';

/** A reading that this page asked for. */
export interface Sync {
  /** The platform that is being read for this page, and since when (milliseconds since 1970). */
  readonly under: { readonly platform: Platform; readonly since: number } | undefined;
  /** Why the last one failed. */
  readonly failed: { readonly platform: Platform; readonly error: unknown } | undefined;
  readonly start: (platform: Platform) => void;
}

/** Reads a platform now. The service joins a reading that is under way, so asking twice is one reading. */
export function useSync(): Sync {
  const api = useApi();
  const queries = useQueryClient();
  const connect = useMutation({
    mutationFn: (platform: Platform) => api.connect(platform),
    onSuccess: ({ status, entities }, platform) => {
      const records = Object.values(entities).reduce((sum, count) => sum + count, 0);
      announce(
        status === 'connected'
          ? `${platform} was read: ${countText(records)} records.`
          : `${platform} is still being read: ${countText(records)} records so far.`,
      );
      return readAgainAfterReading(queries);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: queryKeys.connections }),
  });
  const { isPending, variables: platform, submittedAt: since, error } = connect;
  return {
    under: isPending && platform !== undefined ? { platform, since } : undefined,
    failed: error === null || platform === undefined ? undefined : { platform, error },
    start: (wanted) => {
      if (!isPending) connect.mutate(wanted);
    },
  };
}
