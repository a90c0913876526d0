import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { isPlatformName, type PlatformName } from '@app/mapper';
import { WebhookScheduleRow } from '../database/entities/webhook-schedule.entity';
import type { ConnectionName } from './connector';
import type { CustomerTransaction, Store } from '../database/transaction/store';

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** The checks of a connection's webhooks. */
export interface WebhookChecks {
  /** Failed checks since the last one that succeeded. */
  readonly failures: number;
  /** Null while none is planned. */
  readonly nextAt: Date | null;
}

type NamedConnection = Pick<WebhookScheduleRow, 'customerId' | 'platform'>;

/** The table of checks of webhooks: when those of each live connection are due. */
@Injectable()
export class WebhookSchedulesRepository {
  constructor(@InjectRepository(WebhookScheduleRow) private readonly rows: Repository<WebhookScheduleRow>) {}

  /**
   * Live connections whose webhooks are due for a check, the longest overdue first. Reads across customers, and only
   * due connections.
   *
   * @param platforms the platforms that support notifications
   */
  async due(
    store: Store,
    platforms: readonly PlatformName[],
    limit: number,
  ): Promise<readonly ConnectionName[]> {
    const rows = await store.query<NamedConnection>(
      `select w.customer_id as "customerId", w.platform from webhook_schedules w
       join live_connections l on l.customer_id = w.customer_id and l.platform = w.platform
       where w.due_at <= now() and w.platform = any($1)
       order by w.due_at limit $2`,
      [platforms, limit],
    );
    return rows.flatMap(named);
  }

  /**
   * Connections that are no longer live and had webhooks. Reads across customers, and only what is due.
   *
   * @param after the last connection of the page before
   */
  async gone(store: Store, limit: number, after?: ConnectionName): Promise<readonly ConnectionName[]> {
    const rows = await store.query<NamedConnection>(
      `select w.customer_id as "customerId", w.platform from webhook_schedules w
       left join live_connections l on l.customer_id = w.customer_id and l.platform = w.platform
       where w.due_at <= now() and l.customer_id is null and (w.customer_id, w.platform) > ($2::uuid, $3)
       order by w.customer_id, w.platform limit $1`,
      [limit, after?.customerId ?? FIRST_ID, after?.platform ?? ''],
    );
    return rows.flatMap(named);
  }

  /** The checks of a connection. None is planned for one that was not read yet. */
  async checks(tx: CustomerTransaction, { platform }: ConnectionName): Promise<WebhookChecks> {
    const [row] = await tx.query<{ failures: number; next_at: Date | null }>(
      `select failures, case when isfinite(due_at) then due_at end as next_at from webhook_schedules
       where customer_id = $1 and platform = $2`,
      [platform],
    );
    return { failures: row?.failures ?? 0, nextAt: row?.next_at ?? null };
  }

  /** Schedules the first check of a live connection that has been read. A schedule that has begun stays as it is. */
  begin(tx: CustomerTransaction, platform: PlatformName): void {
    tx.queryLater(
      `insert into webhook_schedules (customer_id, platform, due_at, settings_changed_at)
       select l.customer_id, l.platform, now(), l.changed_at from live_connections l
       where l.customer_id = $1 and l.platform = $2
       on conflict (customer_id, platform) do update set due_at = excluded.due_at
       where webhook_schedules.due_at = 'infinity'`,
      [platform],
    );
  }

  /** Makes the check of a connection due, because its credentials were changed or removed. */
  request(tx: CustomerTransaction, platform: PlatformName): void {
    tx.queryLater('update webhook_schedules set due_at = now() where customer_id = $1 and platform = $2', [
      platform,
    ]);
  }

  /**
   * Claims a connection that is due. No other instance can claim it until it is due again. A connection that has not been
   * read is not claimed; its check begins with {@link begin}.
   *
   * @param lease milliseconds until then, if the claiming instance does not finish
   * @param always claims the connection even if it is not due
   * @returns number of previous failed checks; undefined if another instance was first
   */
  async claim(
    tx: CustomerTransaction,
    { platform }: ConnectionName,
    lease: number,
    always = false,
  ): Promise<number | undefined> {
    const [[row], unread] = await Promise.all([
      tx.query<{ failures: number }>(
        `update webhook_schedules w set due_at = now() + $3 * interval '1 millisecond', settings_changed_at = l.changed_at,
           failures = case when w.settings_changed_at = l.changed_at then w.failures else 0 end
         from live_connections l
         where w.customer_id = $1 and w.platform = $2 and l.customer_id = $1 and l.platform = $2
           and ($4::boolean or w.due_at <= now())
         returning w.failures`,
        [platform, lease, always],
      ),
      tx.query(
        `update webhook_schedules w set due_at = 'infinity' where w.customer_id = $1 and w.platform = $2 and not exists (
           select from connections c where c.customer_id = $1 and c.platform = $2 and c.mode = 'live'
         ) returning 1 as one`,
        [platform],
      ),
    ]);
    return unread.length > 0 ? undefined : row?.failures;
  }

  /**
   * Sets when a connection is due again. If its credentials were changed or removed meanwhile, it stays due.
   *
   * @param pause milliseconds
   */
  async planNext(
    tx: CustomerTransaction,
    { platform }: ConnectionName,
    pause: number,
    failures: number,
  ): Promise<void> {
    await tx.query(
      `update webhook_schedules w set due_at = now() + $3 * interval '1 millisecond', failures = $4
       from live_connections l
       where w.customer_id = $1 and w.platform = $2 and l.customer_id = $1 and l.platform = $2
         and w.settings_changed_at = l.changed_at`,
      [platform, pause, failures],
    );
  }

  /** Deletes the schedule of a connection. */
  async delete(tx: CustomerTransaction, { platform }: ConnectionName): Promise<void> {
    await tx.store.manager.withRepository(this.rows).delete({ customerId: tx.customerId, platform });
  }
}

function named({ customerId, platform }: NamedConnection): readonly ConnectionName[] {
  return isPlatformName(platform) ? [{ customerId, platform }] : [];
}
