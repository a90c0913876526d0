/** Bytes of an answer for which there is room, on average. */
export const BYTES_OF_AN_ANSWER = 4_096;

/** What an instance knows of a customer's keys. */
export interface Usage {
  /** What was stored when it looked last; undefined before the first look. */
  counted: { readonly keys: number; readonly bytes: number } | undefined;
  /** What this instance has taken since. */
  keysSince: number;
  bytesSince: number;
  /** When the first of the keys was taken, in milliseconds. */
  oldest: number | null;
  /** Whether it looks at this moment, and when it began to look last. */
  looking: boolean;
  lookedAt: number;
}

/** Whether there is no room for a further key; before the first look there is. Pure. */
export function isFull({ counted, keysSince, bytesSince }: Usage, most: number): boolean {
  if (counted === undefined) return false;
  return counted.keys + keysSince >= most || counted.bytes + bytesSince >= most * BYTES_OF_AN_ANSWER;
}

/**
 * Whether it is time to look again: when this instance alone has taken a quarter of the room that was left, or a sixteenth of
 * all. So looking costs each key a look at sixteen others at most, and little while there is much room. Pure.
 */
export function isDue({ counted, keysSince, bytesSince }: Usage, most: number): boolean {
  if (counted === undefined) return true;
  const part = (all: number, used: number): number => Math.max(all / 16, (all - used) / 4);
  const bytes = most * BYTES_OF_AN_ANSWER;
  return keysSince >= part(most, counted.keys) || bytesSince >= part(bytes, counted.bytes);
}
