import type { CustomerTransaction, Store } from '../database/transaction/store';
import { timeText } from '../database/transaction/time-text';
import type { EventType } from '../records/events/event-types';

/** The settings of an endpoint that its customer chooses. */
export interface EndpointSettings {
  readonly url: string;
  /** The types of events that it gets; none for all. */
  readonly types: readonly EventType[];
  readonly description: string | null;
  readonly enabled: boolean;
}

/** An endpoint as people see it. */
export interface StoredEndpoint extends EndpointSettings {
  readonly id: string;
  /** Why the service has disabled it; null if it has not. */
  readonly disabledReason: string | null;
  /** In UTC, with microseconds. */
  readonly createdAt: string;
  /** Since when no attempt has succeeded; null if the last one has. */
  readonly failingSince: Date | null;
  /** Deliveries that wait for another attempt. */
  readonly openDeliveries: number;
  /** Whole seconds until it may be set back again; 0 or less if it may. */
  readonly rewindableIn: number;
}

/** Seconds between two times at which an endpoint is set back. */
const REWIND_PAUSE = 60;

const columns = `
  e.id, e.url, e.types, e.description, e.enabled, e.disabled_reason as "disabledReason",
  ${timeText('e.created_at')} as "createdAt", e.failing_since as "failingSince", e.open_deliveries as "openDeliveries",
  ceil(coalesce(extract(epoch from e.rewound_at - now()) + ${REWIND_PAUSE}, 0))::int as "rewindableIn"`;

/** The endpoints of the customer, the oldest first. */
export function listEndpoints(tx: CustomerTransaction): Promise<StoredEndpoint[]> {
  return tx.query<StoredEndpoint>(
    `select ${columns} from webhook_endpoints e where e.customer_id = $1 order by e.created_at, e.id`,
  );
}

/** An endpoint, with its row locked until the transaction ends. */
export async function lockEndpoint(tx: CustomerTransaction, id: string): Promise<StoredEndpoint | undefined> {
  const [row] = await tx.query<StoredEndpoint>(
    `select ${columns} from webhook_endpoints e where e.customer_id = $1 and e.id = $2 for update`,
    [id],
  );
  return row;
}

/** An endpoint; undefined where the customer has none with this ID. */
export async function findEndpoint(tx: CustomerTransaction, id: string): Promise<StoredEndpoint | undefined> {
  const [row] = await tx.query<StoredEndpoint>(
    `select ${columns} from webhook_endpoints e where e.customer_id = $1 and e.id = $2`,
    [id],
  );
  return row;
}

/** How many endpoints the customer has. */
export async function countEndpoints(tx: CustomerTransaction): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    'select count(*)::int as count from webhook_endpoints e where e.customer_id = $1',
  );
  return row?.count ?? 0;
}

/**
 * Stores an endpoint that gets events from now on. Its position in the feed excludes earlier events, if it is known.
 * The time would not exclude them reliably, because changes in progress have earlier times; all are committed within a
 * day of their time.
 *
 * @param position the number of the last event that is not for the endpoint; undefined if that is not known
 */
export async function insertEndpoint(
  tx: CustomerTransaction,
  id: string,
  { url, types, description, enabled }: EndpointSettings,
  position: number | undefined,
): Promise<void> {
  await tx.query(
    `insert into webhook_endpoints
       (customer_id, id, url, types, description, enabled, position, created_at, starts_at, worked_at)
     values ($1, $2, $3, $4, $5, $6, $7, now(), now() - $8 * interval '1 day', now())`,
    [id, url, types, description, enabled, position ?? null, position === undefined ? 0 : 1],
  );
}

// Ends the claim of an endpoint. The results of a batch that is still in progress are then not stored, and the batch is
// repeated, because it used the earlier settings or position.
const endClaim = `claim = null, leased_until = '-infinity'`;

/** Replaces the settings of an endpoint, and resets its failures if the caller asks for it. */
export async function updateEndpoint(
  tx: CustomerTransaction,
  id: string,
  { url, types, description, enabled }: EndpointSettings,
  beginsAnew: boolean,
): Promise<void> {
  await tx.query(
    `update webhook_endpoints set url = $3, types = $4, description = $5, enabled = $6, ${endClaim},
       disabled_reason = case when $6 then null else disabled_reason end,
       failures = case when $7 then 0 else failures end,
       failing_since = case when $7 then null else failing_since end
     where customer_id = $1 and id = $2`,
    [id, url, types, description, enabled, beginsAnew],
  );
}

/**
 * Sets an endpoint back to an earlier position of the feed. An endpoint before that position stays where it is. An
 * endpoint without a position begins where it would have begun.
 */
export async function rewindEndpoint(
  tx: CustomerTransaction,
  id: string,
  position: number,
  since: string,
): Promise<void> {
  await tx.query(
    `update webhook_endpoints set position = case when position is not null then least(position, $3::bigint) end, ${endClaim},
       starts_at = least(starts_at, $4::timestamptz), rewound_at = now()
     where customer_id = $1 and id = $2`,
    [id, position, since],
  );
}

/** Deletes an endpoint with all that belongs to it. */
export async function deleteEndpoint(tx: CustomerTransaction, id: string): Promise<void> {
  await tx.query('delete from webhook_endpoints where customer_id = $1 and id = $2', [id]);
}

/** Endpoints that a customer may have. */
export const MOST_ENDPOINTS = 20;

/**
 * After this number of failed attempts in a row, an endpoint gets a further event only when no delivery waits, and one at
 * a time, until an attempt succeeds.
 */
export const MOST_FAILURES = 5;

/** The most deliveries of an endpoint that may wait for another attempt. At this number it gets no further events. */
export const MOST_OPEN = 100;

/** An endpoint that has something to deliver. */
export interface DueEndpoint {
  readonly customerId: string;
  readonly id: string;
}

// Events without numbers are searched once per customer, not per endpoint. The limit keeps the planner from reading all
// events instead.
const customersWithNewEvents = `
  select c.customer_id from (
    select w.customer_id from webhook_endpoints w where w.enabled group by w.customer_id) c
  where coalesce((
    select true from events v where v.customer_id = c.customer_id and v.sequence is null limit 1), false)`;

/**
 * Endpoints with events to deliver, ordered by the time since their last turn, longest first. Reads across customers.
 *
 * @param failing whether to find the endpoints whose last attempt failed, or the others
 * @param except customers that are left out
 */
export function dueEndpoints(
  store: Store,
  failing: boolean,
  except: readonly string[],
  limit: number,
): Promise<DueEndpoint[]> {
  return store.query<DueEndpoint>(
    `select e.customer_id as "customerId", e.id
     from webhook_endpoints e left join event_feeds f on f.customer_id = e.customer_id
     where e.enabled and e.failures ${failing ? '>' : '='} 0 and e.leased_until < now() and e.customer_id <> all($1::uuid[])
       and (e.retry_at <= now() or (
         e.open_deliveries < ${MOST_OPEN} and (e.failures < ${MOST_FAILURES} or e.open_deliveries = 0)
         and (f.last_sequence > coalesce(e.position, 0) or e.customer_id in (${customersWithNewEvents}))))
     order by e.worked_at limit $2`,
    [except, limit],
  );
}

/** The data that the deliverer needs for a claimed endpoint. */
export interface ClaimedEndpoint extends DueEndpoint {
  /** Whether its customer is a demo session, which may send only to networks that the operator allows. */
  readonly isOfDemo: boolean;
  /** The claim under which the outcome is stored. */
  readonly claim: string;
  readonly url: string;
  readonly types: readonly EventType[];
  /** Events from before this time are not for it. In UTC, with microseconds. */
  readonly startsAt: string;
  /** The number of the last event that was read for the endpoint; null before the first. */
  readonly position: number | null;
  readonly openDeliveries: number;
  readonly failures: number;
  readonly failingSince: Date | null;
}

/**
 * Claims an endpoint for a time. No other instance delivers to it meanwhile.
 *
 * @param lease milliseconds
 * @returns undefined if the endpoint is disabled, gone, or claimed by another instance
 */
export async function claimEndpoint(
  tx: CustomerTransaction,
  id: string,
  claim: string,
  lease: number,
): Promise<ClaimedEndpoint | undefined> {
  const [row] = await tx.query<Omit<ClaimedEndpoint, 'customerId' | 'claim'>>(
    `select e.id, e.url, e.types, ${timeText('e.starts_at')} as "startsAt", e.position::float8 as position,
       e.open_deliveries as "openDeliveries", e.failures, e.failing_since as "failingSince",
       (select c.kind = 'demo' from customers c where c.id = $1) as "isOfDemo"
     from webhook_endpoints e
     where e.customer_id = $1 and e.id = $2 and e.enabled and e.leased_until < now() for update skip locked`,
    [id],
  );
  if (row === undefined) return undefined;
  await tx.query(
    `update webhook_endpoints set claim = $3, leased_until = now() + $4 * interval '1 millisecond', worked_at = now()
     where customer_id = $1 and id = $2`,
    [id, claim, lease],
  );
  return { ...row, customerId: tx.customerId, claim };
}

/** The state of an endpoint after a batch. */
export interface EndpointProgress {
  readonly position: number | null;
  /** Attempts that the batch made. */
  readonly attempts: number;
  readonly failures: number;
  readonly failingSince: Date | null;
  /** Why the service disables it; null if it does not. */
  readonly disabledReason: string | null;
}

/**
 * Stores the state of a claimed endpoint after a batch, and ends the claim.
 *
 * @returns the number of its last attempt; undefined if the claim was lost: then the caller must store nothing
 */
export async function saveProgress(
  tx: CustomerTransaction,
  { id, claim }: ClaimedEndpoint,
  { position, attempts, failures, failingSince, disabledReason }: EndpointProgress,
): Promise<number | undefined> {
  const [row] = await tx.query<{ attempts: number }>(
    `update webhook_endpoints set position = $4, attempts = attempts + $5, failures = $6, failing_since = $7,
       enabled = enabled and $8::text is null, disabled_reason = $8, worked_at = now(), ${endClaim}
     where customer_id = $1 and id = $2 and claim = $3 returning attempts::float8 as attempts`,
    [id, claim, position, attempts, failures, failingSince, disabledReason],
  );
  return row?.attempts;
}

// While a delivery waits, later deliveries of the same object wait too.
const nextAttempt = `
  select min(d.next_at) from webhook_deliveries d where d.customer_id = $1 and d.endpoint_id = $2 and (
    d.is_resend or d.object is null or not exists (
      select from webhook_deliveries b where b.customer_id = $1 and b.endpoint_id = $2 and not b.is_resend
        and b.object = d.object and b.sequence < d.sequence))`;

/** Counts the deliveries that wait, after some were stored or removed, and notes when the next of them is due. */
export async function noteOpenDeliveries(tx: CustomerTransaction, id: string): Promise<void> {
  await tx.query(
    `update webhook_endpoints set retry_at = (${nextAttempt}), open_deliveries = (
       select count(*) from webhook_deliveries d where d.customer_id = $1 and d.endpoint_id = $2)
     where customer_id = $1 and id = $2`,
    [id],
  );
}

/** Ends a claim whose work has failed. The endpoint is due again after a pause. @param pause milliseconds */
export async function postponeClaim(
  tx: CustomerTransaction,
  { id, claim }: ClaimedEndpoint,
  pause: number,
): Promise<void> {
  await tx.query(
    `update webhook_endpoints set claim = null, leased_until = now() + $4 * interval '1 millisecond'
     where customer_id = $1 and id = $2 and claim = $3`,
    [id, claim, pause],
  );
}
