import type { components, ObjectDetail } from '@app/client';
import { useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useApi } from '../data/api';
import type { Platform } from '../data/queries';

export type Disagreement = components['schemas']['DisagreementResponse'];

/** Milliseconds between two looks at an object of which a write is under way. */
const LOOK_EVERY = 4_000;

/** One object, as of a time if one is given; looked at again while a write of it is not decided. */
export function useObject(id: string, asOf: string | undefined): UseQueryResult<ObjectDetail> {
  const api = useApi();
  return useQuery({
    queryKey: ['object', id, asOf],
    queryFn: ({ signal }) => api.object(id, { signal, asOf }),
    refetchInterval: ({ state: { data } }) =>
      data?.state.open === true && !data.state.held && asOf === undefined ? LOOK_EVERY : false,
  });
}

/** The fields of one platform's record, in canonical form; an error where the record cannot be read. */
export interface RecordFields {
  readonly platform: Platform;
  readonly query: UseQueryResult<Readonly<Record<string, unknown>>>;
}

/**
 * The canonical fields of each platform's record alone. The object does not contain them: it has one value for each
 * field, and the platforms' own values only where they differ.
 */
export function useRecordFields({ records, entity_type: type, data, version }: ObjectDetail): RecordFields[] {
  const api = useApi();
  const present = records.filter((record) => record.deleted_at === undefined);
  const queries = useQueries({
    queries: present.map(({ platform, platform_id: id, since, currency, platform_data: payload }) => ({
      queryKey: ['record-fields', platform, type, id, since, version],
      queryFn: async ({
        signal,
      }: {
        readonly signal: AbortSignal;
      }): Promise<Readonly<Record<string, unknown>>> => {
        const { canonical } = await api.transform(
          {
            source: platform,
            target: platform,
            entity_type: type,
            data: payload,
            context: contextOf(data, currency),
          },
          { signal },
        );
        return { ...canonical };
      },
      staleTime: Infinity,
    })),
  });
  return present.flatMap(({ platform }, index) => {
    const query = queries[index];
    return query === undefined ? [] : [{ platform, query }];
  });
}

/**
 * The facts that a record itself does not contain: the kind of a contract on platform_a, and the currency of amounts
 * without one.
 */
function contextOf(
  data: ObjectDetail['data'],
  currency: string | undefined,
): components['schemas']['TransformContextDto'] {
  return {
    ...(currency !== undefined && { currency }),
    ...(data.object === 'contract' && {
      commitmentType: data.kind === 'purchase_order' ? 'PurchaseOrderContract' : 'WorkOrderContract',
    }),
  };
}
