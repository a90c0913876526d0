/**
 * The calls within a sliding window: pairs of the moment at which some calls ended, in milliseconds of Unix time, and
 * the number of these calls, oldest first. Moments are rounded up, so a call counts a little longer than necessary.
 */
export type SlidingCount = readonly (readonly [endsAt: number, calls: number])[];

/** Up to this limit of a window calls are counted almost one by one. */
const FEW = 100;

/**
 * The length in milliseconds of the pieces of a window within which calls are counted together. Each piece takes some
 * bytes of the state, and a call counts longer by up to one piece. A window with few calls has few pieces anyway.
 */
export function pieceMs(lengthMs: number, limit: number): number {
  return Math.max(1, lengthMs / (limit <= FEW ? 1000 : 100));
}

/** The count with one more call that ended now. */
export function counted(count: SlidingCount, now: number, piece: number): SlidingCount {
  const endsAt = Math.ceil(now / piece) * piece;
  const last = count.at(-1);
  // The clock may have been set back a little: pieces stay in order.
  if (last !== undefined && last[0] >= endsAt) return [...count.slice(0, -1), [last[0], last[1] + 1]];
  return [...count, [endsAt, 1]];
}

/** The count without the calls that have left the window. */
export function pruned(count: SlidingCount, now: number, lengthMs: number): SlidingCount {
  const from = count.findIndex(([endsAt]) => endsAt + lengthMs > now);
  return from < 0 ? [] : from === 0 ? count : count.slice(from);
}

/** Calls that ended after a moment, or may have. */
export function countSince(count: SlidingCount, moment: number): number {
  return count.reduce((sum, [endsAt, calls]) => (endsAt > moment ? sum + calls : sum), 0);
}
