import { ValidateBy } from 'class-validator';

const form =
  /^([12]\d{3})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d{2}):(\d{2})))?$/;

/**
 * Converts an ISO 8601 date, or a time with its offset from UTC, to UTC with six decimals of a second:
 * `2026-02-01T08:30:00.000000Z`. A date alone means its start in UTC; {@link CustomerTimes} reads it as a day of the
 * customer. A finer fraction is truncated.
 *
 * @returns undefined for any other text
 */
export function timeFrom(text: string): string | undefined {
  const parts = form.exec(text);
  if (parts === null) return undefined;
  const number = (place: number): number => Number(parts[place] ?? 0);
  const [year, month, day] = [number(1), number(2), number(3)];
  const [hour, minute, second] = [number(4), number(5), number(6)];
  const [offsetHour, offsetMinute] = [number(9), number(10)];
  const date = new Date(Date.UTC(year, month - 1, day));
  // JavaScript would carry a day that the month does not have into the next month.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const offset = (offsetHour * 60 + offsetMinute) * (parts[8] === '-' ? -1 : 1);
  const utc = new Date(Date.UTC(year, month - 1, day, hour, minute - offset, second));
  return `${utc.toISOString().slice(0, 19)}.${(parts[7] ?? '').padEnd(6, '0').slice(0, 6)}Z`;
}

/** Whether a text for {@link timeFrom} is a date without a time. */
export function isDate(text: string): boolean {
  return text.length === 'yyyy-mm-dd'.length;
}

/**
 * The schema of a parameter that {@link IsTime} checks. It has no format: `date-time` alone would refuse dates, and
 * times without seconds.
 */
export const timeSchema = {
  type: String,
  pattern: form.source,
  example: '2026-02-01T08:30:00Z',
} as const;

/** Marks a member that contains a time for {@link timeFrom}. */
export function IsTime(): PropertyDecorator {
  return ValidateBy({
    name: 'isTime',
    validator: {
      validate: (value): boolean => typeof value === 'string' && timeFrom(value) !== undefined,
      defaultMessage: (given) =>
        `${given?.property} must be an ISO 8601 date, or time with its offset, of the years 1000 to 2999, such as 2026-02-01T08:30:00Z`,
    },
  });
}
