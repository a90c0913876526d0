import type { CustomerTransaction } from '../database/transaction/store';

/** The problems of a connection, besides the failure of its last run. */
export interface ConnectionTroubles {
  readonly platform: string;
  /** Writes that wait for a person. */
  readonly heldWrites: number;
  /** Records whose deletion waits for a person, by the last reading of everything from which records are stored. */
  readonly heldDeletions: number;
  /** Consecutive failed runs. */
  readonly failures: number;
  /**
   * Seconds since a run became due that has not begun; 0 if none is due; null for a connection without scheduled runs.
   */
  readonly lateSeconds: number | null;
}

/**
 * The troubles of the customer's connections. A connection without any may be left out.
 *
 * @param readsByItself whether live connections are read without a request, as `SYNC_INTERVAL` has it
 */
export function connectionTroubles(
  tx: CustomerTransaction,
  readsByItself: boolean,
): Promise<readonly ConnectionTroubles[]> {
  return tx.query<ConnectionTroubles>(
    `select known.platform, sum(known.held_writes)::int as "heldWrites", sum(known.held_deletions)::int as "heldDeletions",
       sum(known.failures)::int as failures, max(known.late)::float8 as "lateSeconds"
     from (
       select o.platform, 1 as held_writes, 0 as held_deletions, 0 as failures, null::float8 as late
       from outbox_commands o where o.customer_id = $1 and o.status = 'held'
       union all
       select w.platform, 0, w.held, 0, null from (
         select distinct on (r.platform) r.platform, coalesce((r.report ->> 'deletionsHeld')::int, 0) as held
         from sync_runs r
         join live_connections l on l.customer_id = r.customer_id and l.platform = r.platform
         join connections c on c.customer_id = r.customer_id and c.platform = r.platform and c.mode = 'live'
           and c.connected_at <= r.ended_at
         where r.customer_id = $1 and r.mode = 'live' and r.status = 'done' and r.report ->> 'whole' = 'true'
         order by r.platform, r.started_at desc
       ) w
       union all
       select s.platform, 0, 0, s.failures, case
           when not $2::boolean and s.requested_at is null then null
           when r.id is not null then 0
           else s.late
         end
       from (
         -- Apart from the case: a cluster takes no clock in an expression that is not always the same.
         select *, greatest(0, floor(extract(epoch from now() - greatest(sync_due_at, not_before)))) as late
         from sync_schedules where customer_id = $1
       ) s
       left join sync_runs r on r.customer_id = s.customer_id and r.platform = s.platform and r.status = 'running'
       where s.customer_id = $1
     ) known
     group by known.platform`,
    [readsByItself],
  );
}
