import type { ClosedBy } from '../../comparisons/case-parts';
import { closedByFrom, type CaseContext } from '../showing/case-record';
import type { CaseNote } from '../../annotations/case-notes.repository';
import type { ReviewVersion } from '../../annotations/case-reviews.repository';
import { HISTORY_EVENTS, type CaseEvent } from '../case-event.response';

/** One time for which a case was open, as its rows have it. Times are in UTC, with microseconds. */
export interface OpenPeriod {
  readonly opened_at: string;
  /** Null while it is open. */
  readonly closed_at: string | null;
  readonly closed_by: ClosedBy | null;
  readonly closed_by_id: string | null;
}

/** The rows from which a history is made, each list newest first. */
export interface HistorySources {
  readonly periods: readonly OpenPeriod[];
  readonly reviews: readonly ReviewVersion[];
  readonly notes: readonly CaseNote[];
  readonly reasonOf: CaseContext['reasonOf'];
}

/**
 * The latest events of a case, newest first. Pure.
 *
 * @param sources with one row more than {@link HISTORY_EVENTS}, as far as there are so many
 * @param now an acceptance that ends later has not ended
 */
export function historyOf(
  { periods, reviews, notes, reasonOf }: HistorySources,
  now: string,
): readonly CaseEvent[] {
  const events: CaseEvent[] = [
    ...periods.flatMap((period, place) => eventsOfPeriod(period, place === periods.length - 1, reasonOf)),
    ...reviews.flatMap((review, place) => eventsOfReview(review, reviews[place + 1], now)),
    ...notes.map(({ writtenAt: at, text, writtenBy }): CaseEvent => ({
      type: 'note',
      at,
      text,
      written_by: writtenBy,
    })),
  ];
  return events
    .toSorted((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0))
    .slice(0, HISTORY_EVENTS);
}

function eventsOfPeriod(
  period: OpenPeriod,
  isFirst: boolean,
  reasonOf: CaseContext['reasonOf'],
): readonly CaseEvent[] {
  const { opened_at: openedAt, closed_at: closedAt } = period;
  const opened: CaseEvent = isFirst
    ? { type: 'opened', at: openedAt }
    : { type: 'reopened', at: openedAt, why: 'returned' };
  if (closedAt === null) return [opened];
  return [{ type: 'closed', at: closedAt, closed_by: closedByFrom(period, reasonOf) }, opened];
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
