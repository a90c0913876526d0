import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CustomerTransaction } from '../../database/transaction/store';
import { ONE_SNAPSHOT, UnitOfWork } from '../../database/transaction/unit-of-work';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import { originsOf, type Origin } from '../history/change-origins.repository';
import { statesAround } from '../history/states-around.repository';
import { isObjectEvent } from './event-types';
import {
  causeOfNumber,
  eventsBehind,
  eventsNumbered,
  exactNumberBefore,
  EXAMINED,
  feedBounds,
  hasUnnumbered,
  NUMBERED_AT_ONCE,
  numberBefore,
  numberEvents,
  type EventFilter,
  type FeedBounds,
  type StoredEvent,
} from './events.repository';
import { shownEvent, type ShownEvent } from './shown-event';

/** The most events of objects whose states one statement reads, and the most bytes of stored records that it reads. */
const STEP = { events: 25, bytes: 1024 * 1024 } as const;

/** A page takes no further event once its JSON has this many UTF-16 code units. */
export const PAGE_LENGTH = 4 * 1024 * 1024;

/** The most statements that number events for one page, and the most that look for the events of its filter. */
const STATEMENTS = 4;

/** The most turns in which {@link EventFeed.end} numbers events: some 300,000 events, in five to ten seconds. */
const MOST_TURNS = 60;

/** A position in the feed: right after the event with a number. */
export interface FeedPlace {
  /** The number of that event; 0 for the beginning of the feed. */
  readonly sequence: number;
  /** The cause of that event; null if it is not known: at the beginning, if the event was removed, or for a number alone. */
  readonly causeId: string | null;
}

/** The query of a page of the feed. */
export interface FeedQuery extends EventFilter {
  /** Where the page begins; undefined for the beginning of the feed. */
  readonly after: FeedPlace | undefined;
  readonly limit: number;
  /** The page takes no further event once its JSON has this many UTF-16 code units; {@link PAGE_LENGTH} by default. */
  readonly length?: number;
  /** Events from before this time count as removed; null for none. */
  readonly keptSince: Date | null;
}

/** A page of the feed. */
export interface FeedPage {
  readonly events: readonly ShownEvent[];
  /** Where the next page begins. */
  readonly next: FeedPlace;
  /** Whether there are further events after the page now. */
  readonly hasMore: boolean;
}

/** Events after a position of the feed were removed, so a reader that continues there would miss them. */
export class EventsRemoved extends Error {
  override readonly name = 'EventsRemoved';

  constructor() {
    super('Events behind this place are kept no more');
  }
}

/**
 * The feed does not have the event of a position: another event has its number, or no event has that number yet. This
 * means that the database was restored to an earlier state.
 */
export class FeedReplaced extends Error {
  override readonly name = 'FeedReplaced';

  constructor() {
    super('The feed does not have the event of this place');
  }
}

/** The feed of a customer's events, in an order that never changes. */
@Injectable()
export class EventFeed {
  /**
   * Milliseconds between two turns of {@link end} while another session numbers the events, about as long as one of its
   * statements takes. Tests change it.
   */
  pause = 100;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLoop: EventLoopScheduler,
  ) {}

  /**
   * Reads events, oldest first. Events get their numbers here, after their commit; see {@link numberEvents}.
   *
   * @param gone aborts the reading when the client leaves
   * @throws EventsRemoved when events after the given position were removed
   * @throws FeedReplaced when the feed does not have the event of the position
   */
  async page(customerId: string, query: FeedQuery, gone: AbortSignal): Promise<FeedPage> {
    await this.number(customerId, gone);
    const { found, next, last, isWaiting } = await this.read(customerId, gone, (tx) => findEvents(tx, query));
    const events = await this.shown(customerId, found, query.length ?? PAGE_LENGTH, gone);
    const end = events.length < found.length ? (found[events.length - 1] ?? next) : next;
    return { events, next: end, hasMore: end.sequence < last || isWaiting };
  }

  /**
   * Events by their numbers, oldest first. Removed events are left out.
   *
   * @param length the result takes no further event once its JSON has this many UTF-16 code units
   */
  async numbered(
    customerId: string,
    sequences: readonly number[],
    length: number,
    gone: AbortSignal,
  ): Promise<readonly ShownEvent[]> {
    if (sequences.length === 0) return [];
    const found = await this.read(customerId, gone, (tx) => eventsNumbered(tx, sequences));
    return this.shown(customerId, found, length, gone);
  }

  /**
   * The number after which the events from a time on are found.
   *
   * @param since UTC with microseconds
   */
  async placeOf(
    customerId: string,
    since: string,
    keptSince: Date | null,
    gone: AbortSignal,
  ): Promise<number> {
    await this.number(customerId, gone);
    return this.read(customerId, gone, async (tx) => {
      const [{ before, last }, found] = await Promise.all([
        feedBounds(tx, keptSince),
        exactNumberBefore(tx, since),
      ]);
      return Math.max(found ?? last, before);
    });
  }

  /**
   * The number of the last event that is committed now. Every event that is committed later gets a greater number, even
   * if its time is earlier: the time of a change may be minutes before its commit.
   *
   * @returns undefined if so many events have no number yet that numbering them takes too long, or if another session
   *   keeps the feed locked
   */
  async end(customerId: string): Promise<number | undefined> {
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      const { last, isWaiting } = await this.unitOfWork.runFor(customerId, endOf, ONE_SNAPSHOT);
      if (!isWaiting) return last;
      const numbered = await this.unitOfWork.runFor(customerId, (tx) => numberEvents(tx));
      // Another session has the feed. Without a pause, all turns would be over before one of its statements is.
      if (numbered === 0) await sleep(this.pause);
    }
    return undefined;
  }

  private async shown(
    customerId: string,
    found: readonly StoredEvent[],
    most: number,
    gone: AbortSignal,
  ): Promise<readonly ShownEvent[]> {
    const events: ShownEvent[] = [];
    for (let length = 0; events.length < found.length && length < most;) {
      const step = found.slice(events.length, events.length + STEP.events);
      const shown = await this.read(customerId, gone, (tx) => shownEvents(tx, step));
      events.push(...shown);
      length += shown.reduce((sum, { text }) => sum + text.length, 0);
      await this.eventLoop.waitToContinue(customerId);
    }
    return events;
  }

  private async number(customerId: string, gone: AbortSignal): Promise<void> {
    for (let turn = 0; turn < STATEMENTS; turn += 1) {
      if (!(await this.read(customerId, gone, hasUnnumbered))) return;
      const numbered = await this.unitOfWork.runFor(customerId, (tx) => numberEvents(tx), { signal: gone });
      // The rest came meanwhile, or another caller numbers it.
      if (numbered < NUMBERED_AT_ONCE) return;
    }
  }

  private read<T>(
    customerId: string,
    gone: AbortSignal,
    work: (tx: CustomerTransaction) => Promise<T>,
  ): Promise<T> {
    return this.unitOfWork.runFor(customerId, work, {
      ...ONE_SNAPSHOT,
      signal: gone,
    });
  }
}

async function endOf(tx: CustomerTransaction): Promise<Pick<FoundEvents, 'last' | 'isWaiting'>> {
  const [{ last }, isWaiting] = await Promise.all([feedBounds(tx, null), hasUnnumbered(tx)]);
  return { last, isWaiting };
}

interface FoundEvents {
  readonly found: readonly StoredEvent[];
  readonly next: FeedPlace;
  readonly last: number;
  /** Whether events wait for their numbers. */
  readonly isWaiting: boolean;
}

async function findEvents(tx: CustomerTransaction, query: FeedQuery): Promise<FoundEvents> {
  const { after } = query;
  const [bounds, isWaiting, causeId] = await Promise.all([
    feedBounds(tx, query.keptSince),
    hasUnnumbered(tx),
    after === undefined ? null : causeOfNumber(tx, after.sequence),
  ]);
  if (after !== undefined && !isInFeed(after, bounds, causeId)) throw new FeedReplaced();
  let next = await beginOf(tx, query, bounds);
  const found: StoredEvent[] = [];
  for (let turn = 0; turn < STATEMENTS && found.length < query.limit && next < bounds.last; turn += 1) {
    const missing = query.limit - found.length;
    const more = await eventsBehind(tx, next, query, missing);
    found.push(...more);
    next = more.length === missing ? (more.at(-1)?.sequence ?? next) : Math.min(next + EXAMINED, bounds.last);
  }
  const known = [...found.slice(-1), ...(after === undefined ? [] : [{ sequence: after.sequence, causeId }])];
  return { found, next: await placeAt(tx, next, known), last: bounds.last, isWaiting };
}

/** @param causeId of the event that has the number of the place now; null where none has it */
function isInFeed(place: FeedPlace, { last }: FeedBounds, causeId: string | null): boolean {
  const isOther = place.causeId !== null && causeId !== null && place.causeId !== causeId;
  return place.sequence <= last && !isOther;
}

/** @param known places whose events were read; others are looked up */
async function placeAt(
  tx: CustomerTransaction,
  sequence: number,
  known: readonly FeedPlace[],
): Promise<FeedPlace> {
  const place = known.find((one) => one.sequence === sequence);
  return { sequence, causeId: place === undefined ? await causeOfNumber(tx, sequence) : place.causeId };
}

async function beginOf(
  tx: CustomerTransaction,
  { after, since }: FeedQuery,
  { before, last }: FeedBounds,
): Promise<number> {
  if (after !== undefined && after.sequence < before) throw new EventsRemoved();
  if (after !== undefined) return after.sequence;
  if (since === undefined) return before;
  const found = await numberBefore(tx, since);
  return found === undefined ? before : Math.max(found ?? last, before);
}

/** The first of some events with their data, as many as fit. */
async function shownEvents(
  tx: CustomerTransaction,
  events: readonly StoredEvent[],
): Promise<readonly ShownEvent[]> {
  const objects = events.filter(isOfObject);
  const causes = [...new Set(objects.map(({ causeId }) => causeId))];
  const [states, origins] = await Promise.all([
    statesAround(
      tx,
      objects.map(({ canonicalId: id, at }) => ({ id, at })),
      STEP.bytes,
    ),
    objects.length === 0 ? new Map<string, Origin>() : originsOf(tx, causes),
  ]);
  const around = new Map(states.map((state, place) => [objects[place], state]));
  const shown: ShownEvent[] = [];
  for (const event of events) {
    if (!isOfObject(event)) {
      shown.push(shownEvent(tx.customerId, event));
      continue;
    }
    const state = around.get(event);
    if (state === undefined) break;
    const origin = origins.get(event.causeId) ?? { type: 'unknown' };
    shown.push(shownEvent(tx.customerId, event, { ...state, origin }));
  }
  return shown;
}

function isOfObject(event: StoredEvent): event is StoredEvent & { readonly canonicalId: string } {
  return isObjectEvent(event.type) && event.canonicalId !== null;
}
