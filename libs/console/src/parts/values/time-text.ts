/** A moment in a time zone, to the second: `26 Nov 2026, 14:02:11`. An unreadable one is written as it is. */
export function instantText(iso: string, timeZone: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  return formatFor(timeZone).format(date);
}

// Making one takes longer than formatting a hundred moments, and a page has one time zone.
let latest: { readonly timeZone: string; readonly format: Intl.DateTimeFormat } | undefined;

function formatFor(timeZone: string): Intl.DateTimeFormat {
  if (latest?.timeZone !== timeZone) {
    latest = { timeZone, format: newFormat(timeZone, toTheSecond) };
  }
  return latest.format;
}

const toTheSecond = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
} as const;

const inNumbers = { day: '2-digit', month: '2-digit', year: 'numeric' } as const;

/** Time zones come from the service, whose list may be newer than the browser's. */
function newFormat(timeZone: string, parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone });
  } catch {
    return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' });
  }
}

/** The time zone in which moments are written: the customer's, or UTC where the browser does not know that one. */
export function shownZone(timeZone: string): string {
  return formatFor(timeZone).resolvedOptions().timeZone === 'UTC' ? 'UTC' : timeZone;
}

/**
 * The day of a moment in a time zone, in the form of date fields: `2026-06-30`. A day, and a text that is no time, is
 * returned unchanged.
 */
export function dayIn(moment: string, timeZone: string): string {
  const date = new Date(moment);
  if (!moment.includes('T') || Number.isNaN(date.getTime())) return moment;
  return newFormat(timeZone, inNumbers).format(date).split('/').reverse().join('-');
}

/** The day before a day, in the form of date fields. */
export function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
}

/**
 * The value of an address parameter for the day in a form: the previous moment if the day is still the day of that
 * moment; otherwise the day, which the service reads as its end.
 */
export function momentOf(day: string, before: string | undefined, timeZone: string): string {
  return before !== undefined && day === dayIn(before, timeZone) ? before : day;
}

/**
 * Creates the first time format of a page while responses are on their way, because it takes the browser 20 ms,
 * whatever the time zone.
 */
export function prepareTimes(): void {
  formatFor('UTC');
}

/** A span: `0.4 s`, `12 s`, `3 min 5 s`. */
export function spanText(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 10) return `${Math.floor(seconds * 10) / 10} s`;
  const whole = Math.floor(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
