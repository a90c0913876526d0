const DAY = 24 * 3_600_000;

/** Moments of generated records, spread over some months so that no two neighbours share one. */
interface Timed {
  readonly now: Date;
}

/** So many days before now, and up to a hundred more by the record's number: ISO 8601 in whole seconds. */
export function stampOf({ now }: Timed, index: number, daysBefore: number): string {
  return new Date(momentOf(now, index, daysBefore)).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The same as a date. Days before now may be negative. */
export function dateOf({ now }: Timed, index: number, daysBefore: number): string {
  return new Date(momentOf(now, index, daysBefore)).toISOString().slice(0, 10);
}

function momentOf(now: Date, index: number, daysBefore: number): number {
  const spread = ((index * 2_654_435_761) % 8_640_000) * 1000;
  return now.getTime() - daysBefore * DAY - spread;
}
