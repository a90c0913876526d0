import type { Attempt, Settlement } from '../../connector';
import { nextSettlingTime } from '../../live/settling-time';

/**
 * Returns the settlement of a write that the platform does not show. The platform may show writes late, so the result
 * is `uncertain` until its delay has passed.
 *
 * @param problem why nothing proves afterwards whether the write happened; undefined if it certainly did not happen
 */
export function notSeenYet(attempt: Attempt, delays: readonly number[], problem?: string): Settlement {
  const yet = seenTooEarly(attempt, delays);
  if (yet !== undefined) return yet;
  if (problem === undefined) return { status: 'not_applied' };
  return { status: 'held', reason: `${problem}; nobody can tell whether the change was made before` };
}

/** Returns `uncertain` while the platform may only be late; undefined once its delay has passed. */
export function seenTooEarly(attempt: Attempt, delays: readonly number[]): Settlement | undefined {
  const until = nextSettlingTime(attempt, delays);
  return until && { status: 'uncertain', until };
}
