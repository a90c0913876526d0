import type { Attempt, Settlement } from '../../../connector';
import type { Session } from '../wire/session';

/**
 * What is seen is believed only after a while: the platform may show writes late.
 *
 * @param problem why nobody can tell then whether it happened; undefined where it certainly did not
 */
export function notYet(
  session: Session,
  attempt: Attempt,
  waits: readonly number[],
  problem?: string,
): Settlement {
  const yet = notYetSeen(session, attempt, waits);
  if (yet !== undefined) return yet;
  if (problem === undefined) return { status: 'not_applied' };
  return { status: 'held', reason: `${problem}; nobody can tell whether the change was made before` };
}

/** Looks again, as long as the platform may only be late; undefined where it has had its time. */
export function notYetSeen(
  session: Session,
  { looks = 0 }: Attempt,
  waits: readonly number[],
): Settlement | undefined {
  const wait = waits[Math.max(looks, 1) - 1];
  return wait === undefined ? undefined : { status: 'uncertain', until: session.after(wait) };
}
