/** Average bytes of a response for which there is room. */
export const BYTES_OF_AN_ANSWER = 4_096;

/** An instance's count of a customer's keys. */
export interface Usage {
  /** The result of the last count; undefined before the first one. */
  counted: { readonly keys: number; readonly bytes: number } | undefined;
  /** The number of keys that this instance has used since the last count. */
  keysSince: number;
  /** The bytes of responses that this instance has stored since the last count. */
  bytesSince: number;
  /** When the oldest counted key was used, in milliseconds of Unix time; null if there is none. */
  oldest: number | null;
  /** Whether a count is in progress. */
  looking: boolean;
  /** When the last count began, in milliseconds of Unix time; 0 before the first one. */
  lookedAt: number;
}

/** Whether there is no room for a further key. Before the first count there is room. Pure. */
export function isFull({ counted, keysSince, bytesSince }: Usage, most: number): boolean {
  if (counted === undefined) return false;
  return counted.keys + keysSince >= most || counted.bytes + bytesSince >= most * BYTES_OF_AN_ANSWER;
}

/**
 * Whether a new count is due: when this instance alone has used a quarter of the room that was left, and at least a
 * sixteenth of the whole. So a count of n keys follows n / 16 new keys at the earliest, and counts are rare while there
 * is much room. Pure.
 */
export function isDue({ counted, keysSince, bytesSince }: Usage, most: number): boolean {
  if (counted === undefined) return true;
  const part = (all: number, used: number): number => Math.max(all / 16, (all - used) / 4);
  const bytes = most * BYTES_OF_AN_ANSWER;
  return keysSince >= part(most, counted.keys) || bytesSince >= part(bytes, counted.bytes);
}
