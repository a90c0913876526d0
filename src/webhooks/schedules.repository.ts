import { WebhookScheduleRow } from '../database/entities/webhook-schedule.entity';
import { isPlatformName, type PlatformName } from '@app/mapper';
import type { ConnectionName } from '../platforms/connector';
import type { CustomerTransaction, Store } from '../database/transaction/store';

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface Named {
  readonly customer_id: string;
  readonly platform: string;
}

/**
 * Live connections that have been read and whose webhooks are due for a check, the longest overdue first. New
 * credentials are checked without delay. Reads across customers.
 *
 * @param platforms the platforms that support notifications
 */
export async function dueConnections(
  store: Store,
  platforms: readonly PlatformName[],
  limit: number,
): Promise<readonly ConnectionName[]> {
  const rows = await store.query<Named>(
    `select l.customer_id, l.platform from live_connections l
     join connections c on c.customer_id = l.customer_id and c.platform = l.platform and c.mode = 'live'
     left join webhook_schedules w on w.customer_id = l.customer_id and w.platform = l.platform
     where l.platform = any($1)
       and (w.due_at is null or w.due_at <= now() or w.settings_changed_at <> l.changed_at)
     order by w.due_at nulls first limit $2`,
    [platforms, limit],
  );
  return rows.flatMap(named);
}

/**
 * Connections that are no longer live and had webhooks. Reads across customers.
 *
 * @param after the last connection of the page before
 */
export async function goneConnections(
  store: Store,
  limit: number,
  after?: ConnectionName,
): Promise<readonly ConnectionName[]> {
  const rows = await store.query<Named>(
    `select w.customer_id, w.platform from webhook_schedules w
     left join live_connections l on l.customer_id = w.customer_id and l.platform = w.platform
     where l.customer_id is null and (w.customer_id, w.platform) > ($2::uuid, $3)
     order by w.customer_id, w.platform limit $1`,
    [limit, after?.customerId ?? FIRST_ID, after?.platform ?? ''],
  );
  return rows.flatMap(named);
}

/**
 * Claims a connection that is due. No other instance can claim it until it is due again.
 *
 * @param lease milliseconds until then, if the claiming instance does not finish
 * @param always claims the connection even if it is not due
 * @returns number of previous failed checks; undefined if another instance was first
 */
export async function claim(
  tx: CustomerTransaction,
  { platform }: ConnectionName,
  lease: number,
  always = false,
): Promise<number | undefined> {
  // Two statements in one round trip, because a distributed table does not allow the time in a condition of
  // `do update`. A new row is due.
  const [, [row]] = await Promise.all([
    tx.query(
      `insert into webhook_schedules (customer_id, platform, due_at, settings_changed_at)
       select l.customer_id, l.platform, now(), l.changed_at from live_connections l
       where l.customer_id = $1 and l.platform = $2
       on conflict (customer_id, platform) do nothing`,
      [platform],
    ),
    tx.query<{ failures: number }>(
      `update webhook_schedules w set due_at = now() + $3 * interval '1 millisecond', settings_changed_at = l.changed_at,
         failures = case when w.settings_changed_at = l.changed_at then w.failures else 0 end
       from live_connections l
       where w.customer_id = $1 and w.platform = $2 and l.customer_id = $1 and l.platform = $2
         and ($4::boolean or w.due_at <= now() or w.settings_changed_at <> l.changed_at)
       returning w.failures`,
      [platform, lease, always],
    ),
  ]);
  return row?.failures;
}

/** Sets when a connection is due again. @param pause milliseconds */
export async function planNext(
  tx: CustomerTransaction,
  { platform }: ConnectionName,
  pause: number,
  failures: number,
): Promise<void> {
  await tx.query(
    `update webhook_schedules set due_at = now() + $3 * interval '1 millisecond', failures = $4
     where customer_id = $1 and platform = $2`,
    [platform, pause, failures],
  );
}

export async function forgetSchedule(tx: CustomerTransaction, { platform }: ConnectionName): Promise<void> {
  await tx.rows(WebhookScheduleRow).delete({ customerId: tx.customerId, platform: platform as string });
}

function named({ customer_id: customerId, platform }: Named): readonly ConnectionName[] {
  return isPlatformName(platform) ? [{ customerId, platform }] : [];
}
