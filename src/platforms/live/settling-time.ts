import { later } from '../../runtime/clock/later';
import type { Attempt } from '../connector';

/**
 * When to look next for a write that a platform may still show late; undefined once the platform has had its time, and what
 * it does not show did not happen. It goes by the time since the attempt ended, not by the number of looks: looks that fail,
 * or that come early, prove nothing. Pure.
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
