import type { PlatformName } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { ChangeCause } from '../changes/change-cause';

/**
 * SQL for a connection's currency at a time, or its present currency if no earlier one was kept. `$1` must be the
 * customer.
 *
 * @param connection alias of the row of `connections`
 * @param at SQL for the time
 */
export function currencyThen(connection: string, at: string): string {
  return `coalesce((
    select f.currency from connection_currencies f
    where f.customer_id = $1 and f.platform = ${connection}.platform and f.until > ${at}::timestamptz
    order by f.until limit 1), ${connection}.currency)`;
}

/** Keeps a connection's present currency before a change replaces it. */
export async function keepCurrency(
  tx: CustomerTransaction,
  platform: PlatformName,
  { at, id }: ChangeCause,
): Promise<void> {
  await tx.query(
    `insert into connection_currencies (customer_id, platform, currency, until, ended_by)
     select c.customer_id, c.platform, c.currency, $3::timestamptz, $4::uuid from connections c
     where c.customer_id = $1 and c.platform = $2
     on conflict do nothing`,
    [platform, at, id],
  );
}

/** The currencies of the connections that a customer had at a time, by platform. */
export async function currenciesThen(
  tx: CustomerTransaction,
  time: string,
): Promise<ReadonlyMap<PlatformName, string>> {
  const rows = await tx.query<{ platform: PlatformName; currency: string }>(
    `select c.platform, ${currencyThen('c', '$2')} as currency from connections c
     where c.customer_id = $1 and c.connected_at <= $2::timestamptz`,
    [time],
  );
  return new Map(rows.map(({ platform, currency }) => [platform, currency]));
}
