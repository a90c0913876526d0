import type { ClosedBy } from '../cases/case-parts';
import type { CaseNote } from './case-notes.repository';
import type { ReviewVersion } from './case-reviews.repository';
import { HISTORY_EVENTS, type CaseEvent } from './case-event.response';

/** One time for which a case was open. Times are in UTC, with microseconds. */
export interface OpenPeriod {
  readonly openedAt: string;
  /** Null while it is open. */
  readonly closedAt: string | null;
  readonly closedBy: ClosedBy | null;
  readonly closedById: string | null;
}

/** What a history is made of, each newest first. */
export interface HistorySources {
  readonly periods: readonly OpenPeriod[];
  readonly reviews: readonly ReviewVersion[];
  readonly notes: readonly CaseNote[];
}

/**
 * The latest events of a case, newest first. Pure.
 *
 * @param sources with one row more than {@link HISTORY_EVENTS}, as far as there are so many
 * @param now an acceptance that ends later has not ended
 */
export function historyOf({ periods, reviews, notes }: HistorySources, now: string): readonly CaseEvent[] {
  const events: CaseEvent[] = [
    ...periods.flatMap((period, place) => eventsOfPeriod(period, place === periods.length - 1)),
    ...reviews.flatMap((review, place) => eventsOfReview(review, reviews[place + 1], now)),
    ...notes.map(({ at, text, writtenBy }): CaseEvent => ({ type: 'note', at, text, written_by: writtenBy })),
  ];
  return events
    .toSorted((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0))
    .slice(0, HISTORY_EVENTS);
}

function eventsOfPeriod(
  { openedAt, closedAt, closedBy, closedById }: OpenPeriod,
  isFirst: boolean,
): readonly CaseEvent[] {
  const opened: CaseEvent = isFirst
    ? { type: 'opened', at: openedAt }
    : { type: 'reopened', at: openedAt, why: 'returned' };
  if (closedAt === null) return [opened];
  const by = closedBy === null ? null : { type: closedBy, id: closedById };
  return [{ type: 'closed', at: closedAt, closed_by: by }, opened];
}

function eventsOfReview(
  review: ReviewVersion,
  before: ReviewVersion | undefined,
  now: string,
): readonly CaseEvent[] {
  const { from: at, until, owner, acceptance, endedBy } = review;
  const events: CaseEvent[] = [];
  const end = acceptance?.endsAt ?? null;
  if (end !== null && end <= now && end >= at && (until === null || end < until))
    events.push({ type: 'reopened', at: end, why: 'until_passed' });
  if (acceptance !== null && acceptance.at !== before?.acceptance?.at) {
    const { reason, decidedBy, until: given } = acceptance;
    events.push({ type: 'accepted', at, reason, decided_by: decidedBy, until: given });
  }
  if (endedBy === 'taken_back') events.push({ type: 'taken_back', at });
  if (endedBy === 'value_changed') events.push({ type: 'reopened', at, why: 'value_changed' });
  if (owner !== (before?.owner ?? null)) events.push({ type: 'owner', at, owner });
  return events;
}
