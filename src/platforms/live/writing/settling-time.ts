import { later } from '../../../runtime/clock/later';
import type { Attempt } from '../../connector';

/**
 * Returns the time of the next check for a write that a platform may show late; undefined once the platform's delay
 * has passed, because what the platform does not show by then did not happen. The result depends on the time since
 * the end of the attempt and not on the number of checks: a check that fails or comes early proves nothing. Pure.
 *
 * @param delays milliseconds after the end of the attempt, ascending
 */
export function nextSettlingTime(
  { startedAt, endedAt = startedAt, now }: Pick<Attempt, 'startedAt' | 'endedAt' | 'now'>,
  delays: readonly number[],
): Date | undefined {
  const elapsed = now.getTime() - endedAt.getTime();
  const delay = delays.find((ms) => ms > elapsed);
  return delay === undefined ? undefined : later(endedAt, delay);
}
