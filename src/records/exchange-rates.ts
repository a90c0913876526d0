import type { RateQuote } from '@app/mapper';
import type { Store } from '../database/store';

/** The rates an operator set for a customer. */
export function customerRates(store: Store, customerId: string): Promise<RateQuote[]> {
  return store.query<RateQuote>(
    `select from_currency as "from", to_currency as "to", rate from exchange_rates where customer_id = $1`,
    [customerId],
  );
}
