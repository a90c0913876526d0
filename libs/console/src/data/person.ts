import { useQuery, useQueryClient } from '@tanstack/react-query';

const key = ['person'];

/** The name under which this person decides, as they wrote it last. It goes with the session, like all that was read. */
export function usePerson(): [string, (name: string) => void] {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: key,
    queryFn: () => '',
    initialData: '',
    staleTime: Infinity,
    gcTime: Infinity,
  });
  return [data, (name) => void queries.setQueryData(key, name)];
}
