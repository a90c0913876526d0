import { isPlatformName, platformNames, type PlatformName, type RateQuote, type Terms } from '@app/mapper';
import { hash } from 'node:crypto';
import type { CustomerTransaction } from '../../../database/transaction/store';
import { READING_VERSION } from '../../../records/platform-records/record-digest';
import { termsFrom } from '../../../records/terms/terms-text';
import { termsColumn } from '../../../records/terms/terms.repository';
import { platformPairs } from '../comparison';
import { converterInto, type Converter } from '../conversion';

/** Increased when the comparisons or cases of the same records change. Then all are computed anew. */
const COMPARING_VERSION = 10;

/** The inputs of comparisons beside the records. */
export interface ComparisonContext {
  readonly terms: Terms;
  readonly rates: readonly DatedRate[];
  /** The currency that each connected platform is read in. */
  readonly currencies: ReadonlyMap<PlatformName, string>;
  /** Since when each platform is connected, in milliseconds. */
  readonly connectedAt: ReadonlyMap<PlatformName, number>;
  /** Changes whenever any of this changes, or changed in the meantime. */
  readonly fingerprint: string;
  /**
   * A digest of terms and platforms alone: equal for equal terms, whenever they were in force. It does not depend on
   * the release, because the statement of an earlier time shows what was known then.
   */
  readonly termsDigest: string;
}

/** A rate that was agreed with the customer. */
export interface DatedRate extends RateQuote {
  /** ISO 8601. */
  readonly setAt: string;
}

interface Row {
  readonly terms: string | null;
  readonly times: string;
  readonly connections: readonly (readonly [string, string, string])[] | null;
  readonly rates: readonly (readonly [string, string, string, string])[] | null;
}

// The times distinguish terms that were replaced and restored from terms that never changed.
const statementAt = (asOf?: string): string => `
  select ${termsColumn(asOf)} as terms,
    (select concat_ws(' ', count(*), max(e.set_at), max(e.ended_at)) from exchange_rates e where e.customer_id = $1)
      || (select concat_ws(' ', ' ', count(*), max(t.since), max(t.until)) from customer_terms t where t.customer_id = $1)
      as times,
    (select json_agg(json_build_array(c.platform, c.currency, c.connected_at) order by c.platform)
     from connections c where c.customer_id = $1) as connections,
    (select json_agg(json_build_array(e.from_currency, e.to_currency, e.rate, e.set_at)
       order by e.from_currency, e.to_currency)
     from exchange_rates e where e.customer_id = $1 and ${
       asOf === undefined
         ? 'e.ended_at is null'
         : `e.set_at <= ${asOf} and (e.ended_at is null or e.ended_at > ${asOf})`
     }) as rates`;

const present = statementAt();
const earlier = statementAt('$2::timestamptz');

/**
 * The inputs of a customer's comparisons beside the records, in the caller's snapshot.
 *
 * @param asOf the time of the terms; connections are the present ones
 */
export async function comparisonContext(tx: CustomerTransaction, asOf?: string): Promise<ComparisonContext> {
  const [row] = await (asOf === undefined ? tx.query<Row>(present) : tx.query<Row>(earlier, [asOf]));
  const connections = row?.connections ?? [];
  const terms = termsFrom(row?.terms ?? null);
  const currencies = new Map<PlatformName, string>();
  const connectedAt = new Map<PlatformName, number>();
  for (const [platform, currency, time] of connections) {
    if (!isPlatformName(platform)) continue;
    currencies.set(platform, currency);
    connectedAt.set(platform, Date.parse(time));
  }
  const code = [COMPARING_VERSION, READING_VERSION, platformNames];
  return {
    terms,
    rates: (row?.rates ?? []).map(([from, to, rate, setAt]) => ({ from, to, rate, setAt })),
    currencies,
    connectedAt,
    fingerprint: digestOf([...code, connections, row?.terms, row?.times]),
    termsDigest: digestOf([
      platformNames,
      terms.rates,
      terms.precedence,
      ...(terms.own ? [terms.own.definitions] : []),
    ]),
  };
}

function digestOf(inputs: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(inputs), 'base64url');
}

/**
 * The default currency for the sums of a pair of platforms: that of the connection of the platform with precedence, if
 * one is connected.
 */
export function usualCurrency(
  currencies: ComparisonContext['currencies'],
  pair: readonly PlatformName[],
  fallback: string,
): string {
  const [connected] = pair.filter((platform) => currencies.has(platform));
  return (connected && currencies.get(connected)) ?? fallback;
}

/** The usual currency of all platforms, in which cases state their differences. */
export function currencyOfCases(currencies: ComparisonContext['currencies'], fallback: string): string {
  return usualCurrency(currencies, [...new Set(platformPairs().flat())], fallback);
}

/** Converts amounts into the usual currency of all platforms. */
export function caseConverter({ currencies, rates }: ComparisonContext, fallback: string): Converter {
  return converterInto(currencyOfCases(currencies, fallback), rates);
}
