import type { CustomerTransaction } from '../database/transaction/store';
import type { DeliveryOutcome } from '../runtime/metrics/metrics';
import { timeText } from '../database/transaction/time-text';

/** A delivery that waits for another attempt, or for an earlier delivery of the same object. */
export interface OpenDelivery {
  /** The number of its event. */
  readonly sequence: number;
  /** The object whose events keep their order; null for an event of none. */
  readonly object: string | null;
  /** Attempts so far. */
  readonly attempts: number;
  readonly isDue: boolean;
  /** A person asked for it: it does not wait for other deliveries of the object, and they do not wait for it. */
  readonly isResend: boolean;
}

/** The deliveries of an endpoint that wait, in the order of their events. */
export function openDeliveries(tx: CustomerTransaction, endpointId: string): Promise<OpenDelivery[]> {
  return tx.query<OpenDelivery>(
    `select d.sequence::float8 as sequence, d.object, d.attempts, d.next_at <= now() as "isDue", d.is_resend as "isResend"
     from webhook_deliveries d where d.customer_id = $1 and d.endpoint_id = $2 order by d.sequence`,
    [endpointId],
  );
}

/** A delivery to store until its next attempt. */
export interface WaitingDelivery {
  readonly sequence: number;
  readonly object: string | null;
  readonly attempts: number;
  /** Milliseconds until the next attempt. */
  readonly pause: number;
}

/**
 * Stores waiting deliveries, and sets the next attempts of deliveries that waited before. A delivery that was requested
 * before its turn gets an object when its turn comes, and keeps its order.
 */
export async function saveDeliveries(
  tx: CustomerTransaction,
  endpointId: string,
  deliveries: readonly WaitingDelivery[],
): Promise<void> {
  if (deliveries.length === 0) return;
  await tx.query(
    `insert into webhook_deliveries (customer_id, endpoint_id, sequence, object, attempts, next_at, is_resend)
     select $1, $2, n.sequence, n.object, n.attempts, now() + n.pause * interval '1 millisecond', false
     from unnest($3::bigint[], $4::text[], $5::int[], $6::bigint[]) n (sequence, object, attempts, pause)
     on conflict (customer_id, endpoint_id, sequence)
       do update set attempts = excluded.attempts, next_at = excluded.next_at, object = excluded.object,
         is_resend = webhook_deliveries.is_resend and excluded.object is null`,
    [
      endpointId,
      deliveries.map(({ sequence }) => sequence),
      deliveries.map(({ object }) => object),
      deliveries.map(({ attempts }) => attempts),
      deliveries.map(({ pause }) => pause),
    ],
  );
}

/**
 * Stores a delivery that a person asked for. A delivery of the event that waits already becomes due now, and keeps its
 * order.
 */
export async function requestDelivery(
  tx: CustomerTransaction,
  endpointId: string,
  sequence: number,
): Promise<void> {
  await tx.query(
    `insert into webhook_deliveries (customer_id, endpoint_id, sequence, object, attempts, next_at, is_resend)
     values ($1, $2, $3, null, 0, now(), true)
     on conflict (customer_id, endpoint_id, sequence) do update set next_at = excluded.next_at`,
    [endpointId, sequence],
  );
}

/** Makes all deliveries of an endpoint that wait due now. */
export async function makeDeliveriesDue(tx: CustomerTransaction, endpointId: string): Promise<void> {
  await tx.query(
    'update webhook_deliveries set next_at = now() where customer_id = $1 and endpoint_id = $2 and next_at > now()',
    [endpointId],
  );
}

/** Removes deliveries that wait no more. */
export async function removeDeliveries(
  tx: CustomerTransaction,
  endpointId: string,
  sequences: readonly number[],
): Promise<void> {
  if (sequences.length === 0) return;
  await tx.query(
    'delete from webhook_deliveries where customer_id = $1 and endpoint_id = $2 and sequence = any($3::bigint[])',
    [endpointId, sequences],
  );
}

/**
 * Removes the deliveries of events after a position of the feed, to which an endpoint was set back. Requested
 * deliveries stay, because the endpoint may not be registered for the types of their events.
 */
export async function removeDeliveriesBehind(
  tx: CustomerTransaction,
  endpointId: string,
  position: number,
): Promise<void> {
  await tx.query(
    `delete from webhook_deliveries
     where customer_id = $1 and endpoint_id = $2 and sequence > $3::bigint and not is_resend`,
    [endpointId, position],
  );
}

/** A finished attempt. */
export interface FinishedAttempt {
  readonly sequence: number;
  /** The type of its event; null if that is kept no more. */
  readonly type: string | null;
  readonly attempt: number;
  readonly at: Date;
  readonly durationMs: number;
  readonly status: number | null;
  /** Why there was no response, or none that counts; null if there was. */
  readonly error: string | null;
  /** The begin of the response; null without one. */
  readonly response: string | null;
  readonly outcome: DeliveryOutcome;
  /** Milliseconds until the next attempt; null if there is none. */
  readonly pause: number | null;
}

/** The service keeps this number of the latest attempts of an endpoint. */
export const MOST_ATTEMPTS = 500;

/**
 * Stores attempts, and removes those that are no longer among the latest. @param last the number of the last of them
 */
export async function insertAttempts(
  tx: CustomerTransaction,
  endpointId: string,
  attempts: readonly FinishedAttempt[],
  last: number,
): Promise<void> {
  if (attempts.length === 0) return;
  const values = <Key extends keyof FinishedAttempt>(key: Key): FinishedAttempt[Key][] =>
    attempts.map((one) => one[key]);
  await tx.query(
    `insert into webhook_attempts (customer_id, endpoint_id, number, sequence, type, attempt, at, duration_ms, status, error,
       response, outcome, next_at)
     select $1, $2, $3::bigint + n.place, n.sequence, n.type, n.attempt, n.at, n.duration_ms, n.status, n.error, n.response,
       n.outcome, now() + n.pause * interval '1 millisecond'
     from unnest($4::bigint[], $5::text[], $6::int[], $7::timestamptz[], $8::int[], $9::int[], $10::text[], $11::text[],
       $12::text[], $13::bigint[]) with ordinality
       n (sequence, type, attempt, at, duration_ms, status, error, response, outcome, pause, place)`,
    [
      endpointId,
      last - attempts.length,
      values('sequence'),
      values('type'),
      values('attempt'),
      values('at'),
      values('durationMs'),
      values('status'),
      values('error'),
      values('response'),
      values('outcome'),
      values('pause'),
    ],
  );
  await tx.query(
    'delete from webhook_attempts where customer_id = $1 and endpoint_id = $2 and number <= $3::bigint',
    [endpointId, last - MOST_ATTEMPTS],
  );
}

/** An attempt in the form in which the API shows it. */
export interface StoredAttempt {
  readonly number: number;
  readonly sequence: number;
  /** The cause of its event; null if the event is no longer kept, like its place. */
  readonly causeId: string | null;
  readonly place: number | null;
  readonly type: string | null;
  readonly attempt: number;
  /** In UTC, with microseconds. */
  readonly at: string;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
  readonly outcome: DeliveryOutcome;
  readonly nextAt: string | null;
}

/** Attempts of an endpoint, the latest first. @param before only those with a smaller number */
export function listAttempts(
  tx: CustomerTransaction,
  endpointId: string,
  before: number | undefined,
  limit: number,
): Promise<StoredAttempt[]> {
  return tx.query<StoredAttempt>(
    `select t.number::float8 as number, t.sequence::float8 as sequence, v.cause_id as "causeId", v.place,
       t.type, t.attempt, ${timeText('t.at')} as at,
       t.duration_ms as "durationMs", t.status, t.error, t.response, t.outcome, ${timeText('t.next_at')} as "nextAt"
     from webhook_attempts t left join events v on v.customer_id = $1 and v.sequence = t.sequence
     where t.customer_id = $1 and t.endpoint_id = $2 and ($3::bigint is null or t.number < $3::bigint)
     order by t.number desc limit $4`,
    [endpointId, before ?? null, limit],
  );
}
