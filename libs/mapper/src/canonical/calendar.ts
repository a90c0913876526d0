const ZERO = 0x30;
const MINUS = 0x2d;
const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DATE_LENGTH = 10;

/** Whether text is a day of the calendar in the form `YYYY-MM-DD`. */
export function isIsoDate(text: string): boolean {
  return text.length === DATE_LENGTH && startsWithDate(text);
}

/** Whether the first ten characters of a text are a day of the calendar in the form `YYYY-MM-DD`. */
export function startsWithDate(text: string): boolean {
  if (text.charCodeAt(4) !== MINUS || text.charCodeAt(7) !== MINUS) return false;
  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  return year >= 0 && day >= 1 && day <= daysOf(year, month);
}

/** The number that two digits of a text are; not a number where there are none. */
export function twoDigits(text: string, start: number): number {
  const tens = text.charCodeAt(start) - ZERO;
  const units = text.charCodeAt(start + 1) - ZERO;
  return tens >= 0 && tens <= 9 && units >= 0 && units <= 9 ? 10 * tens + units : NaN;
}

function daysOf(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : (daysOfMonths[month - 1] ?? 0);
}
