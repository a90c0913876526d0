import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { isPlatformName, type PlatformName } from '@app/mapper';
import { SyncScheduleRow } from '../../database/entities/sync-schedule.entity';
import type { ConnectionName } from '../../platforms/connector';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import { deleteNamed } from './named-records.repository';
import { pauseUntilNext } from './pauses';
import type { ClaimedRun } from '../run/run';
import { hasPresentSettings } from '../run/run-settings.repository';

/**
 * SQL condition: a connection is due.
 *
 * @param interval milliseconds; 0 where only requested runs are due
 */
const isDue = (alias: string, interval: number): string =>
  `${alias}.sync_due_at <= now() and (${alias}.not_before is null or ${alias}.not_before <= now())
   ${interval > 0 ? '' : `and ${alias}.requested_at is not null`}`;

/**
 * A whole reading that takes longer counts as if it had taken this long. Otherwise a whole reading of more than a day
 * would always be followed by another one, and the readings of changes in between would not take place.
 */
const LONGEST_WHOLE = `interval '12 hours'`;

/** The table of schedules: when each live connection is read again. */
@Injectable()
export class SchedulesRepository {
  constructor(@InjectRepository(SyncScheduleRow) private readonly rows: Repository<SyncScheduleRow>) {}

  /**
   * Live connections that are due and not being read, those that wait longest first. Reads across customers.
   *
   * @param interval milliseconds; 0 where only requested runs are due
   */
  async due(store: Store, interval: number, limit: number): Promise<readonly ConnectionName[]> {
    const rows = await store.query<{ customerId: string; platform: string }>(
      `select s.customer_id as "customerId", s.platform from sync_schedules s
       join live_connections l on l.customer_id = s.customer_id and l.platform = s.platform
       left join sync_runs r on r.customer_id = s.customer_id and r.platform = s.platform and r.status = 'running'
       where ${isDue('s', interval)} and r.id is null
       order by s.sync_due_at limit $1`,
      [limit],
    );
    return rows.flatMap(({ customerId, platform }) =>
      isPlatformName(platform) ? [{ customerId, platform }] : [],
    );
  }

  /**
   * Marks the requests of a connection as answered, because a run begins. A run that does not read everything leaves a
   * request to read everything to the next run: the request may have been made since the run was planned.
   *
   * @param onlyIfDue the interval of the schedule in milliseconds, if the run begins only when the connection is due
   * @returns whether a schedule was updated; false if the connection has no schedule, or is not due
   */
  async answer(
    tx: CustomerTransaction,
    { connection: { platform }, whole }: ClaimedRun,
    onlyIfDue?: number,
  ): Promise<boolean> {
    const answering = this.bound(tx)
      .createQueryBuilder()
      .update()
      .set({ requestedAt: null, ...(whole && { whole: false }) })
      .where({ customerId: tx.customerId, platform });
    if (onlyIfDue !== undefined) answering.andWhere(isDue('sync_schedules', onlyIfDue));
    const { affected } = await answering.execute();
    return affected === 1;
  }

  /**
   * Plans the next run of a live connection after a published run. A request that came during the run stays due, but only
   * after a pause: as long as the run took, and at least the usual pause. So a platform that reports changes all the time
   * is not read all the time, and half of its rate limits are left for other work. The pause does not delay the runs of
   * the schedule.
   *
   * @param times milliseconds; a pause of 0 means no pause after long runs either
   * @param wholeSince when the run began to read, if it has read everything; otherwise null
   * @returns the number of consecutive failed runs before this one
   */
  async planAfterSuccess(
    tx: CustomerTransaction,
    { id, connection: { platform } }: ClaimedRun,
    { interval, pause }: { readonly interval: number; readonly pause: number },
    wholeSince: string | null,
  ): Promise<number> {
    const failures = await this.lockFailures(tx, platform);
    // Without a whole reading `whole_at` is null, which `greatest` ignores. A cluster takes no `now()` within the `case`.
    await tx.query(
      `insert into sync_schedules (customer_id, platform, sync_due_at, whole_at, not_before)
       select r.customer_id, r.platform, now() + $3 * interval '1 millisecond',
         greatest($4::timestamptz, now() - ${LONGEST_WHOLE}) + case when $4::timestamptz is not null then interval '0' end,
         now() + least($3::float8, greatest($5::float8, $6::float8 * extract(epoch from now() - r.started_at))) * interval '1 millisecond'
       from sync_runs r where r.customer_id = $1 and r.platform = $2 and r.id = $7
       on conflict (customer_id, platform) do update set
         sync_due_at = case when sync_schedules.requested_at is null then excluded.sync_due_at else sync_schedules.sync_due_at end,
         whole_at = coalesce(excluded.whole_at, sync_schedules.whole_at), failures = 0,
         not_before = excluded.not_before`,
      [platform, pauseUntilNext(interval, 0, Math.random()), wholeSince, pause, pause === 0 ? 0 : 1_000, id],
    );
    return failures;
  }

  /**
   * Plans the next run of a live connection after a failed run. The pause grows with each failure, also for requested
   * runs. If the failed run was to read everything, so is the next one. If only requested runs are due and the platform
   * was read before, the method stores a request, because the failed run has answered the platform's requests and the
   * platform does not repeat them.
   *
   * A run whose settings have been replaced says nothing of the present ones: it counts as no failure, and the next run is
   * due at once.
   *
   * @param interval milliseconds between two runs; 0 if only requested runs are due
   * @returns the number of consecutive failed runs, including this one; undefined if this one does not count
   */
  async planAfterFailure(
    tx: CustomerTransaction,
    run: ClaimedRun,
    interval: number,
  ): Promise<number | undefined> {
    const {
      connection: { platform },
      whole,
    } = run;
    const before = await this.lockFailures(tx, platform);
    // Behind the lock, which new settings take as well where there is a schedule: either they are seen here, or they see the
    // failure and end its pause.
    const counts = await hasPresentSettings(tx, run);
    const failures = counts ? before + 1 : before;
    const pause = counts ? pauseUntilNext(interval, failures, Math.random()) : 0;
    const isAskedAgain = interval === 0 && (await this.wasRead(tx, platform));
    await tx.query(
      `insert into sync_schedules (customer_id, platform, sync_due_at, not_before, failures, whole, requested_at)
       values ($1, $2, now() + $3 * interval '1 millisecond', now() + $3 * interval '1 millisecond', $4, $5,
         now() + case when $6::boolean then interval '0' end)
       on conflict (customer_id, platform) do update set
         sync_due_at = excluded.sync_due_at, not_before = excluded.not_before, failures = excluded.failures,
         whole = sync_schedules.whole or excluded.whole,
         requested_at = coalesce(sync_schedules.requested_at, excluded.requested_at)`,
      [platform, pause, failures, whole, isAskedAgain],
    );
    return counts ? failures : undefined;
  }

  /** Requests a run of a live connection. Several requests before the run begins lead to one run. */
  async request(tx: CustomerTransaction, { platform }: ConnectionName, whole: boolean): Promise<void> {
    await tx.query(
      `insert into sync_schedules (customer_id, platform, sync_due_at, requested_at, whole)
       select l.customer_id, l.platform, now(), now(), $3 from live_connections l
       where l.customer_id = $1 and l.platform = $2
       on conflict (customer_id, platform) do update set
         sync_due_at = least(sync_schedules.sync_due_at, excluded.sync_due_at),
         requested_at = coalesce(sync_schedules.requested_at, excluded.requested_at),
         whole = sync_schedules.whole or excluded.whole`,
      [platform, whole],
    );
  }

  /**
   * Ends the pause of a connection that fails, because the cause may be gone. The failures count until a run succeeds. Waits
   * for a run that is just failing.
   */
  async endPause(tx: CustomerTransaction, platform: PlatformName): Promise<void> {
    if ((await this.lockFailures(tx, platform)) === 0) return;
    await this.bound(tx).update(
      { customerId: tx.customerId, platform },
      { syncDueAt: () => 'now()', notBefore: null },
    );
  }

  /**
   * Deletes a connection's schedule and the records that its platform has named. The caller has ended the connection's
   * run first, because a run locks the schedule.
   */
  async forget(tx: CustomerTransaction, { platform }: ConnectionName): Promise<void> {
    await this.bound(tx).delete({ customerId: tx.customerId, platform });
    await deleteNamed(tx, platform);
  }

  private async lockFailures(tx: CustomerTransaction, platform: PlatformName): Promise<number> {
    const [row] = await tx.query<{ failures: number }>(
      'select failures from sync_schedules where customer_id = $1 and platform = $2 for update',
      [platform],
    );
    return row?.failures ?? 0;
  }

  /** Whether the live platform was read before. Until then it reports no changes. */
  private async wasRead(tx: CustomerTransaction, platform: PlatformName): Promise<boolean> {
    const read = await tx.query(
      `select 1 from connections where customer_id = $1 and platform = $2 and mode = 'live'`,
      [platform],
    );
    return read.length > 0;
  }

  private bound(tx: CustomerTransaction): Repository<SyncScheduleRow> {
    return tx.store.manager.withRepository(this.rows);
  }
}
