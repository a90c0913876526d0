import type { ObjectDetail } from '@app/client';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../data/api';
import type { KnownRates } from './conversions';

/**
 * The rates at which the service compares amounts of a type in a currency, as its statement of the type has them.
 *
 * @param currency undefined where nothing is converted
 */
export function useRates(
  type: ObjectDetail['entity_type'],
  currency: string | undefined,
): KnownRates | undefined {
  const api = useApi();
  const query = { entity_type: type, currency };
  return useQuery({
    // A name of its own beside statements that are shown: what changes them may change these.
    queryKey: ['statement', 'rates', query],
    queryFn: ({ signal }) => api.statement(query, { signal }),
    select: ({ currency: into, rates, missing_rates }): KnownRates => ({
      currency: into,
      rates,
      missing_rates,
    }),
    enabled: currency !== undefined,
  }).data;
}
