const form = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,12}))?(Z|[+-]\d\d:\d\d))?$/;

/** Whether the text is a valid calendar date. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCFullYear(year, month - 1, day);
  return year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/**
 * A time in UTC with seven decimals of seconds, so that texts sort like times; undefined if the text is no time. A
 * date stands for its midnight.
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

/** The platform's text of a time: UTC, without trailing zeros in its fraction. */
export function printedInstant(date: Date): string {
  return date.toISOString().replace(/\.?0{1,3}Z$/, 'Z');
}
