import { useQuery } from '@tanstack/react-query';
import { useApi } from '../data/api';
import type { ReadStatement } from '../data/queries';

/** The days since the oldest open item was first seen, or why there are none; undefined until it is known. */
export type Oldest = number | 'none' | 'could not be read' | undefined;

/**
 * How old the oldest open item of a statement is.
 *
 * @param statement the visible one; undefined if there is none, because its figures do not wait for this
 */
export function useOldest(statement: ReadStatement | undefined): Oldest {
  const api = useApi();
  const { query = {}, digest } = statement ?? {};
  const { data, isError } = useQuery({
    // With the statements, so that it is read again when they are; and when the figures of one have become others.
    queryKey: ['statement', query, 'oldest', digest],
    queryFn: async ({ signal }): Promise<Oldest> => {
      // Cases of any currency: that of a statement is the one it adds up in, that of a list chooses among differences.
      const { as_of, through, entity_type, project_id } = query;
      const { data: cases } = await api.cases(
        {
          ...(as_of !== undefined && { as_of }),
          ...(through !== undefined && { through }),
          ...(entity_type !== undefined && { entity_type }),
          ...(project_id !== undefined && { project_id }),
          sort: 'age',
          limit: 1,
          facets: false,
        },
        { signal },
      );
      return cases[0]?.age_days ?? 'none';
    },
    enabled: statement !== undefined,
  });
  return data ?? (isError ? 'could not be read' : undefined);
}
