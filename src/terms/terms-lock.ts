import type { Store } from '../database/store';
import { ApiError } from '../errors/api-error';

/**
 * Lets changes of a customer's terms follow one another. Nothing else waits for them: neither a connect nor a change of a
 * record, nor the other way round.
 *
 * @returns the time from which the new terms hold, as the database writes it
 * @throws ApiError NOT_FOUND without such a customer
 */
export async function lockTerms(store: Store, customerId: string): Promise<string> {
  const found = await store.query('select 1 from customers where id = $1 for no key update', [customerId]);
  if (found.length === 0) throw new ApiError('NOT_FOUND', `No customer with ID ${customerId}`);
  // Behind the lock, so that what follows begins when the former has ended.
  const [row] = await store.query<{ at: string }>('select clock_timestamp()::text as at');
  if (row === undefined) throw new Error('The database told no time');
  return row.at;
}
