import { isIsoDate } from '@app/mapper';
import { ValidateBy } from 'class-validator';

/** The schema of a parameter that {@link IsPlainDate} checks. */
export const dateSchema = { type: String, format: 'date', example: '2026-02-01' } as const;

/** Whether a value is an ISO 8601 date without a time. The database's calendar has no year 0. */
export function isPlainDate(value: unknown): boolean {
  return typeof value === 'string' && isIsoDate(value) && !value.startsWith('0000');
}

/** Marks a member that contains an ISO 8601 date without a time. */
export function IsPlainDate(): PropertyDecorator {
  return ValidateBy({
    name: 'isPlainDate',
    validator: {
      validate: isPlainDate,
      defaultMessage: (given) => `${given?.property} must be an ISO 8601 date, such as 2026-02-01`,
    },
  });
}
