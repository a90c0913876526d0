import type { Store } from '../database/transaction/store';
import { MOST_COUNTED, type AttentionKind, type WaitingItem } from './attention';

/** From when on something is late: usual work is done long before. */
const LATE = {
  write: `interval '30 minutes'`,
  connection: `interval '15 minutes'`,
  run: `interval '6 hours'`,
  lease: `interval '1 minute'`,
  comparison: `interval '30 minutes'`,
} as const;

const failing = `
  select s.customer_id, s.platform, c.synced_at as since from sync_schedules s
  join live_connections l on l.customer_id = s.customer_id and l.platform = s.platform
  left join connections c on c.customer_id = s.customer_id and c.platform = s.platform
  where s.failures > 0`;

/** Endpoints at which the last attempt has failed. The first condition is that of an index. */
const endpoints = (condition: string): string => `
    select customer_id, null as platform, failing_since as since from webhook_endpoints
    where failing_since is not null and ${condition}`;

/**
 * SQL for the items of each kind: customer, platform and time since when they wait. Each reads an index that holds only
 * open, failing or due items, so its cost does not grow with customers that have none.
 */
const selections: Readonly<Record<AttentionKind, string>> = {
  held_writes: `
    select customer_id, platform, coalesce(decided_at, created_at) as since from outbox_commands where status = 'held'`,
  late_writes: `
    select customer_id, platform, created_at as since from outbox_commands
    where decided_at is null and created_at < now() - ${LATE.write}`,
  // Only a reading of everything finds deletions, so a later such reading replaces the result. So does the removal of the
  // records: those that are stored now came with the first run of their connection, or later.
  held_deletions: `
    select r.customer_id, r.platform, r.ended_at as since from sync_runs r
    join live_connections l on l.customer_id = r.customer_id and l.platform = r.platform
    join connections c on c.customer_id = r.customer_id and c.platform = r.platform and c.mode = 'live'
      and c.connected_at <= r.ended_at
    where r.report ->> 'deletionsHeld' <> '0' and not exists (
      select from sync_runs n where n.customer_id = r.customer_id and n.platform = r.platform and n.mode = 'live'
        and n.status = 'done' and n.started_at > r.started_at and n.report ->> 'whole' = 'true')`,
  failing_connections: failing,
  // The text that every connector uses for refused credentials.
  refused_credentials: `
    select f.customer_id, f.platform, f.since from (${failing}) f
    where (
      select r.error ->> 'message' from sync_runs r
      where r.customer_id = f.customer_id and r.platform = f.platform and r.status <> 'running'
      order by r.started_at desc limit 1
    ) like '%refused the credentials%'`,
  // A request of a platform during a reading is due before the pause after that reading is over.
  late_connections: `
    select s.customer_id, s.platform, greatest(s.sync_due_at, s.not_before) as since from sync_schedules s
    join live_connections l on l.customer_id = s.customer_id and l.platform = s.platform
    left join sync_runs r on r.customer_id = s.customer_id and r.platform = s.platform and r.status = 'running'
    where s.sync_due_at < now() - ${LATE.connection}
      and (s.not_before is null or s.not_before < now() - ${LATE.connection}) and s.failures = 0 and r.id is null
      and ($2::boolean or s.requested_at is not null)`,
  unending_runs: `
    select customer_id, platform, started_at as since from sync_runs
    where status = 'running' and (started_at < now() - ${LATE.run} or lease_until < now() - ${LATE.lease})`,
  comparisons_behind: `
    select customer_id, null as platform, min(since) as since from due_comparisons
    group by customer_id having min(since) < now() - ${LATE.comparison}`,
  unconfirmed_webhooks: `
    select customer_id, platform, handshake_until as since from webhook_subscriptions
    where not is_confirmed and (handshake_until is null or handshake_until < now()) and $2::boolean
    union
    select customer_id, platform, null as since from webhook_schedules where failures > 0 and $2::boolean`,
  disabled_webhook_endpoints: endpoints('not enabled and disabled_reason is not null'),
  failing_webhook_endpoints: endpoints('enabled'),
};

/** What the settings let the service do without a request. */
export interface DoneByItself {
  /** Whether live connections are read without a request, by `SYNC_INTERVAL`. */
  readonly readings: boolean;
  /**
   * Whether the service keeps webhooks at live platforms, by `PUBLIC_URL`. Without it, subscriptions that were begun are
   * never completed, so they are not reported.
   */
  readonly webhooks: boolean;
}

/** The settings on which the items of a kind depend; `$2` of its selection. */
const depending: Partial<Record<AttentionKind, keyof DoneByItself>> = {
  late_connections: 'readings',
  unconfirmed_webhooks: 'webhooks',
};

/** What waits of a kind, the longest waiting first and {@link MOST_COUNTED} at most. Reads across customers. */
export async function findWaiting(
  store: Store,
  kind: AttentionKind,
  byItself: DoneByItself,
): Promise<readonly WaitingItem[]> {
  const setting = depending[kind];
  const parameters = setting === undefined ? [MOST_COUNTED] : [MOST_COUNTED, byItself[setting]];
  return store.query<WaitingItem>(
    `select w.customer_id as "customerId", w.platform, w.since from (${selections[kind]}) w
     order by w.since nulls last, w.customer_id, w.platform limit $1`,
    parameters,
  );
}
