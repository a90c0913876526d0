const DAY = 24 * 3_600_000;

/** Times of generated records, spread over some months so that consecutive records differ. */
interface Timed {
  readonly now: Date;
}

/**
 * A time `daysBefore` days before now, plus up to a hundred days depending on the record: ISO 8601 in whole seconds.
 */
export function stampOf({ now }: Timed, index: number, daysBefore: number): string {
  return new Date(momentOf(now, index, daysBefore)).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Like {@link stampOf}, as a date. `daysBefore` may be negative. */
export function dateOf({ now }: Timed, index: number, daysBefore: number): string {
  return new Date(momentOf(now, index, daysBefore)).toISOString().slice(0, 10);
}

function momentOf(now: Date, index: number, daysBefore: number): number {
  const spread = ((index * 2_654_435_761) % 8_640_000) * 1000;
  return now.getTime() - daysBefore * DAY - spread;
}
