import type { Attempt, Settlement } from '../../connector';
import { nextSettlingTime } from '../../live/settling-time';

/**
 * What is seen is believed only after a while: the platform may show writes late.
 *
 * @param problem why nobody can tell then whether it happened; undefined where it certainly did not
 */
export function notSeenYet(attempt: Attempt, delays: readonly number[], problem?: string): Settlement {
  const yet = seenTooEarly(attempt, delays);
  if (yet !== undefined) return yet;
  if (problem === undefined) return { status: 'not_applied' };
  return { status: 'held', reason: `${problem}; nobody can tell whether the change was made before` };
}

/** Looks again, as long as the platform may only be late; undefined where it has had its time. */
export function seenTooEarly(attempt: Attempt, delays: readonly number[]): Settlement | undefined {
  const until = nextSettlingTime(attempt, delays);
  return until && { status: 'uncertain', until };
}
