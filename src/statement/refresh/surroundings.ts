import {
  isPlatformName,
  platformNames,
  type PlatformName,
  type RateQuote,
  type ValueTerms,
} from '@app/mapper';
import { hash } from 'node:crypto';
import type { Store } from '../../database/store';
import { customerRates } from '../../rates/exchange-rates.service';
import { READING_VERSION } from '../../records/record-digest';
import { platformPairs } from '../comparison';

/** Raised when the same records come to other comparisons or cases than before; then all are made anew. */
const COMPARING_VERSION = 1;

/** What comparisons follow from beside the records. */
export interface Surroundings {
  readonly terms: ValueTerms;
  readonly rates: readonly DatedRate[];
  /** The currency that each connected platform is read in. */
  readonly currencies: ReadonlyMap<PlatformName, string>;
  /** Another one whenever any of this is. */
  readonly fingerprint: string;
}

/** A rate that was agreed with the customer. */
export interface DatedRate extends RateQuote {
  readonly setAt: Date;
}

/** What comparisons of a customer's objects follow from beside the records, in the caller's snapshot. */
export async function surroundingsOf(store: Store, customerId: string): Promise<Surroundings> {
  const [rates, connections] = await Promise.all([
    customerRates(store, customerId),
    store.query<{ platform: string; currency: string; connected_at: string }>(
      `select platform, currency, connected_at::text as connected_at from connections
       where customer_id = $1 order by platform`,
      [customerId],
    ),
  ]);
  const currencies = new Map<PlatformName, string>();
  for (const { platform, currency } of connections) {
    if (isPlatformName(platform)) currencies.set(platform, currency);
  }
  const all = [COMPARING_VERSION, READING_VERSION, platformNames, connections, rates];
  return {
    terms: { rates, precedence: {} },
    rates,
    currencies,
    fingerprint: hash('sha256', JSON.stringify(all), 'base64url'),
  };
}

/**
 * The currency in which a pair of platforms is summed up where nobody asks for another one: that of the connection of the
 * platform that takes precedence, as far as one is connected.
 */
export function usualCurrency(
  currencies: Surroundings['currencies'],
  pair: readonly PlatformName[],
  fallback: string,
): string {
  const [connected] = pair.filter((platform) => currencies.has(platform));
  return (connected && currencies.get(connected)) ?? fallback;
}

/** The usual currency of the first pair; cases say their differences in it. */
export function currencyOfCases(currencies: Surroundings['currencies'], fallback: string): string {
  return usualCurrency(currencies, [...new Set(platformPairs().flat())], fallback);
}
