import { randomUUID } from 'node:crypto';
import { stringifyJson, type JsonObject, type StoredEntityType } from '@app/mapper';
import {
  customersWithOlderRows,
  type CustomersWithOlderRows,
  type OlderRow,
} from '../../database/transaction/older-rows';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import { timeText } from '../../database/transaction/time-text';
import type { EventType } from './event-types';

/** An event to store. */
export interface NewEvent {
  readonly type: EventType;
  readonly entityType?: StoredEntityType | null;
  readonly canonicalId?: string | null;
  readonly data: JsonObject;
}

/** The time of events, and the ID that the events of one transaction share. */
export interface EventCause {
  /** Unique to the transaction. */
  readonly id: string;
  /** The database's time, with microseconds. */
  readonly at: string;
}

/** Added to the place of events that are not about objects, so that they come after the object events of the same cause. */
const BEHIND_OBJECTS = 1_000_000_000;

const noteSql = `
  insert into events (customer_id, at, cause_id, place, type, entity_type, canonical_id, data)
  select $1, $2::timestamptz, $3::uuid, ${BEHIND_OBJECTS} + n.place, n.type, n.entity_type, n.canonical_id, n.data::json
  from unnest($4::text[], $5::text[], $6::text[], $7::text[]) with ordinality
    n (type, entity_type, canonical_id, data, place)`;

/**
 * Stores events in the transaction of their cause, at the latest with its commit.
 *
 * @param cause used for one call only, because the events of a call are numbered from the first place on
 */
export function noteEvents(tx: CustomerTransaction, cause: EventCause, events: readonly NewEvent[]): void {
  if (events.length === 0) return;
  tx.queryLater(noteSql, [
    cause.at,
    cause.id,
    events.map(({ type }) => type),
    events.map(({ entityType }) => entityType ?? null),
    events.map(({ canonicalId }) => canonicalId ?? null),
    events.map(({ data }) => stringifyJson(data)),
  ]);
}

/** Like {@link noteEvents}, for events that belong to no change of records. @param at the database's time */
export function noteEventsAt(tx: CustomerTransaction, at: string, events: readonly NewEvent[]): void {
  noteEvents(tx, { id: randomUUID(), at }, events);
}

/**
 * Stores the events that a selection gives, at the latest with the next statement. An event that is stored already is not
 * stored twice.
 *
 * @param selection SQL for time, ID of the cause, place, type, entity type, canonical ID and data of each
 * @param parameters of the selection, from `$2` on
 */
export function noteSelectedEvents(
  tx: CustomerTransaction,
  selection: string,
  parameters: readonly unknown[],
): void {
  tx.queryLater(
    `insert into events (customer_id, at, cause_id, place, type, entity_type, canonical_id, data)
     select $1, noted.* from (${selection}) noted on conflict do nothing`,
    parameters,
  );
}

/** The most events that one statement numbers. */
export const NUMBERED_AT_ONCE = 5_000;

const unnumbered = 'e.customer_id = $1 and e.sequence is null';

/** Whether events wait for their numbers. @param before only events from before this time */
export async function hasUnnumbered(tx: CustomerTransaction, before?: Date): Promise<boolean> {
  const [any] = await tx.query(
    `select 1 from events e where ${unnumbered} and ($2::timestamptz is null or e.at < $2::timestamptz) limit 1`,
    [before ?? null],
  );
  return any !== undefined;
}

// If the feed is locked, another caller numbers its events. `skip locked`, so that no caller waits while it holds a connection.
const takeFeed = `
  select f.last_sequence from event_feeds f where f.customer_id = $1 for update skip locked`;

const giveNumbers = `
  update events e set sequence = $2::bigint + next.number
  from (
    select e.cause_id, e.place, row_number() over (order by e.at, e.cause_id, e.place) as number
    from events e where ${unnumbered} order by e.at, e.cause_id, e.place limit ${NUMBERED_AT_ONCE}
  ) next
  where e.customer_id = $1 and e.cause_id = next.cause_id and e.place = next.place`;

/**
 * Gives the next numbers to committed events, in the order of their times, without gaps. One transaction at a time numbers
 * the events of a customer, and it sees only committed events. So no event appears later with a number below one that a
 * reader has passed. Events of one object are numbered in their order, because the later cause waited for the commit of
 * the earlier one.
 *
 * @returns the number of numbered events; 0 also while another transaction numbers them
 */
export async function numberEvents(tx: CustomerTransaction): Promise<number> {
  await tx.query(
    `insert into event_feeds (customer_id, last_sequence) select c.id, 0 from customers c where c.id = $1
     on conflict do nothing`,
  );
  const [feed] = await tx.query<{ last_sequence: string }>(takeFeed);
  if (feed === undefined) return 0;
  // The rows of a run are new to the planner, which would read all of a customer's for these.
  await Promise.all([tx.store.set('enable_hashjoin = off'), tx.store.set('enable_mergejoin = off')]);
  // A statement behind the lock, so that its snapshot has all numbers given before.
  const numbered = await tx.execute(giveNumbers, [feed.last_sequence]);
  await tx.query('update event_feeds set last_sequence = last_sequence + $2 where customer_id = $1', [
    numbered,
  ]);
  return numbered;
}

/** A filter of events. */
export interface EventFilter {
  readonly types?: readonly EventType[] | undefined;
  readonly entityType?: StoredEntityType | undefined;
  readonly canonicalId?: string | undefined;
  /** In UTC, with microseconds: events from this time on. */
  readonly since?: string | undefined;
}

/** The members that identify a numbered event among those of its customer, even after a backup was restored. */
export interface EventName {
  readonly sequence: number;
  readonly causeId: string;
  /** Its place among the events of its cause. */
  readonly place: number;
}

/** A numbered event, as it is stored. */
export interface StoredEvent extends EventName {
  readonly type: EventType;
  /** In UTC, with microseconds. */
  readonly at: string;
  readonly entityType: StoredEntityType | null;
  readonly canonicalId: string | null;
  /** JSON text. */
  readonly data: string | null;
}

/** The most numbered events that one statement examines. */
export const EXAMINED = 50_000;

const selectSql = `
  select e.sequence::float8 as sequence, e.type, ${timeText('e.at')} as at, e.cause_id as "causeId",
    e.place, e.entity_type as "entityType", e.canonical_id as "canonicalId", e.data::text as data
  from events e`;

const pageSql = `${selectSql}
  where e.customer_id = $1 and e.sequence > $2::bigint and e.sequence <= $2::bigint + ${EXAMINED}
    and ($3::text[] is null or e.type = any($3::text[])) and ($4::text is null or e.entity_type = $4)
    and ($5::text is null or e.canonical_id = $5) and ($6::timestamptz is null or e.at >= $6::timestamptz)
  order by e.sequence limit $7`;

/** The events that match a filter, in order, among the {@link EXAMINED} numbers that follow a number. */
export function eventsBehind(
  tx: CustomerTransaction,
  sequence: number,
  { types, entityType, canonicalId, since }: EventFilter,
  limit: number,
): Promise<StoredEvent[]> {
  return tx.query<StoredEvent>(pageSql, [
    sequence,
    types ?? null,
    entityType ?? null,
    canonicalId ?? null,
    since ?? null,
    limit,
  ]);
}

/** The events with the given numbers, in order. Removed events are left out. */
export function eventsNumbered(
  tx: CustomerTransaction,
  sequences: readonly number[],
): Promise<StoredEvent[]> {
  return tx.query<StoredEvent>(
    `${selectSql} where e.customer_id = $1 and e.sequence = any($2::bigint[]) order by e.sequence`,
    [sequences],
  );
}

/** The cause of the event with a number; null if there is no such event, or if it was removed. */
export async function causeOfNumber(tx: CustomerTransaction, sequence: number): Promise<string | null> {
  const [event] = await tx.query<{ causeId: string }>(
    'select e.cause_id as "causeId" from events e where e.customer_id = $1 and e.sequence = $2::bigint',
    [sequence],
  );
  return event?.causeId ?? null;
}

/** The first and last numbers of a customer's feed. */
export interface FeedBounds {
  /** The number before that of the first event that is kept. */
  readonly before: number;
  /** The last number that was given. */
  readonly last: number;
}

const boundsSql = `
  select f.last_sequence::float8 as last, coalesce((
    select e.sequence - 1 from events e
    where e.customer_id = $1 and e.sequence is not null and ($2::timestamptz is null or e.at >= $2::timestamptz)
    order by e.sequence limit 1), f.last_sequence)::float8 as before
  from event_feeds f where f.customer_id = $1`;

/**
 * The part of the feed that is kept.
 *
 * @param keptSince events from before this time count as removed; null keeps all
 */
export async function feedBounds(tx: CustomerTransaction, keptSince: Date | null): Promise<FeedBounds> {
  const [row] = await tx.query<FeedBounds>(boundsSql, [keptSince]);
  return row ?? { before: 0, last: 0 };
}

const firstSinceSql = `
  select count(*)::int as found, (min(later.sequence) - 1)::float8 as before from (
    select e.sequence from events e
    where e.customer_id = $1 and e.at >= $2::timestamptz and e.sequence is not null limit ${EXAMINED}
  ) later`;

/**
 * The number before that of the first event from a time on.
 *
 * @param since UTC with microseconds
 * @returns null if there is no such event; undefined if {@link EXAMINED} events or more are later, because then the search
 *   costs as much as examining all events
 */
export async function numberBefore(
  tx: CustomerTransaction,
  since: string,
): Promise<number | null | undefined> {
  const [row] = await tx.query<{ found: number; before: number | null }>(firstSinceSql, [since]);
  return row === undefined || row.found === EXAMINED ? undefined : row.before;
}

/**
 * Like {@link numberBefore}, however many events are later; null if there is none. It examines the 24 hours from the first
 * event on: events are committed within a day of their time, so no event after that has a lower number than the first one.
 */
export async function exactNumberBefore(tx: CustomerTransaction, since: string): Promise<number | null> {
  const [row] = await tx.query<{ before: number | null }>(
    `select (min(e.sequence) - 1)::float8 as before from events e
     where e.customer_id = $1 and e.sequence is not null and e.at >= $2::timestamptz and e.at < interval '1 day' + (
       select min(f.at) from events f where f.customer_id = $1 and f.at >= $2::timestamptz)`,
    [since],
  );
  return row?.before ?? null;
}

/** A page of customers with events from before a time. Reads across customers. */
export function customersWithOldEvents(
  store: Store,
  before: Date,
  after?: OlderRow,
): Promise<CustomersWithOlderRows> {
  return customersWithOlderRows(store, { table: 'events', time: 'at' }, before, after);
}

/**
 * Deletes events from before a time, `most` at a time, in the order of their numbers, up to the first event that stays. So
 * the remaining numbers have no gaps, and a reader's cursor shows whether events after it were removed. A search by time
 * would read the events of all customers.
 *
 * @returns the number of deleted events
 */
export function deleteOldEvents(tx: CustomerTransaction, before: Date, most: number): Promise<number> {
  return tx.execute(
    `delete from events e using (
       select o.cause_id, o.place, bool_and(o.at < $2) over (order by o.sequence) as goes from (
         select n.* from events n where n.customer_id = $1 and n.sequence is not null order by n.sequence limit $3
       ) o
     ) old
     where old.goes and e.customer_id = $1 and e.cause_id = old.cause_id and e.place = old.place`,
    [before, most],
  );
}

/** Deletes all events of a customer that is removed. */
export async function deleteEvents(tx: CustomerTransaction): Promise<void> {
  await tx.query('delete from events where customer_id = $1');
}
