import type { Connection } from '../data/queries';

/** Milliseconds after which a reading is old: books that close a month are read each day. */
const OLD_AFTER = 24 * 3_600_000;

/**
 * Whether a platform is worth being read before its figures are used: it is live, so it changes by itself, or its last reading
 * is old, failed, or left something out.
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
