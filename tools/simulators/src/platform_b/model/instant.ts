const form = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,12}))?(Z|[+-]\d\d:\d\d))?$/;

/** Whether the text is a day that the calendar has. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCFullYear(year, month - 1, day);
  return year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/**
 * A point in time in UTC with seven digits of seconds, so that texts sort as times do; undefined when the text is none.
 * A day alone is its midnight.
 */
export function sortableInstant(text: string): string | undefined {
  const [match, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] =
    form.exec(text) ?? [];
  if (match === undefined || !isDay(`${year}-${month}-${day}`)) return undefined;
  const digits = fraction.padEnd(7, '0').slice(0, 7);
  if (zone === 'Z') return `${year}-${month}-${day}T${hour}:${minute}:${second}.${digits}Z`;
  const shifted = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return Number.isNaN(shifted.getTime()) ? undefined : `${shifted.toISOString().slice(0, 19)}.${digits}Z`;
}

/** A time as the platform prints it: UTC, with no zeros at the end of its fraction. */
export function printedInstant(date: Date): string {
  return date.toISOString().replace(/\.?0{1,3}Z$/, 'Z');
}
