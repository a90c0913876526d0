import type { Connection } from '../data/queries';

/** Milliseconds after which a reading is old: books that close a month are read each day. */
const OLD_AFTER = 24 * 3_600_000;

/**
 * Whether a platform should be synced before its figures are used: it is live, so its records change outside of the
 * service, or its last sync is old, failed, or was incomplete.
 *
 * @param now milliseconds since 1970
 */
export function isWorthReading(
  { mode, status, last_synced_at: last, sync }: Connection,
  now: number,
): boolean {
  if (mode === 'live' || status !== 'active' || sync?.complete !== true) return true;
  return last === null || now - Date.parse(last) > OLD_AFTER;
}
