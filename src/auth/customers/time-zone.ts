const HOUR = 3_600_000;

/**
 * Upper bound, in milliseconds, of the distance of a local time from the same time of day in UTC. No time zone is or
 * was further away.
 */
const FURTHEST = 18 * HOUR;

/** Whether a text is an IANA name of a time zone that this release of Node knows. */
export function isTimeZone(name: string): boolean {
  // Some releases of Node also take offsets, such as +03:00, which know no daylight saving time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * The last microsecond of a day in a time zone: the one before the next local midnight. Where clocks skip that midnight,
 * the day ends with the skip; where they go back over it, the day ends at the second midnight.
 *
 * @param day ISO 8601: `2026-01-31`
 * @param zone for which {@link isTimeZone} holds
 * @returns in UTC: `2026-01-31T20:59:59.999999Z`
 */
export function endOfDay(day: string, zone: string): string {
  return `${new Date(firstAfter(day, zone) - 1).toISOString().slice(0, 23)}999Z`;
}

/** The first microsecond of a day in a time zone, which follows the last one of the day before. See {@link endOfDay}. */
export function startOfDay(day: string, zone: string): string {
  const before = new Date(Date.parse(day) - 24 * HOUR).toISOString().slice(0, 10);
  return `${new Date(firstAfter(before, zone)).toISOString().slice(0, 23)}000Z`;
}

/** The time in milliseconds from which local clocks show only later days. */
function firstAfter(day: string, zone: string): number {
  const midnight = Date.parse(day) + 24 * HOUR;
  const offsetAt = offsetsOf(zone);
  const [earlier, later] = [offsetAt(midnight - FURTHEST), offsetAt(midnight + FURTHEST)];
  if (earlier === later) return midnight - later;
  const change = changeBetween(midnight - FURTHEST, midnight + FURTHEST, offsetAt);
  // If clocks show the day again after the change, its end follows from the later offset. Otherwise it follows from the
  // earlier offset; if clocks skip the midnight, the day ends with the change.
  return midnight - later > change ? midnight - later : Math.min(change, midnight - earlier);
}

/**
 * The time between two moments at which the offset changes, to the second. No zone changes its offset twice in such a
 * short time.
 */
function changeBetween(from: number, to: number, offsetAt: (moment: number) => number): number {
  const before = offsetAt(from);
  let [low, high] = [from / 1_000, to / 1_000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * 1_000) === before) low = middle;
    else high = middle;
  }
  return high * 1_000;
}

/** The offset of a zone from UTC at a moment; both in milliseconds. */
function offsetsOf(zone: string): (moment: number) => number {
  const clock = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (moment) => {
    const shown = new Map(clock.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => shown.get(type) ?? 0;
    const local = Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
    return local - moment;
  };
}
