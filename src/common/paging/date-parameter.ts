import { ValidateBy } from 'class-validator';
import { timeFrom } from './time-parameter';

const form = /^[12]\d{3}-\d{2}-\d{2}$/;

/** The schema of a parameter that {@link IsPlainDate} checks. */
export const dateSchema = { type: String, format: 'date', example: '2026-02-01' } as const;

/** Marks a member that contains an ISO 8601 date without a time. */
export function IsPlainDate(): PropertyDecorator {
  return ValidateBy({
    name: 'isPlainDate',
    validator: {
      validate: (value): boolean =>
        typeof value === 'string' && form.test(value) && timeFrom(value) !== undefined,
      defaultMessage: (given) => `${given?.property} must be an ISO 8601 date, such as 2026-02-01`,
    },
  });
}
