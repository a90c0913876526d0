import { isJsonObject } from '@app/mapper';
import { ValidateBy, ValidateIf } from 'class-validator';

/** The member must be a JSON object: no array, no null, no number. Its members are free. */
export function IsJsonObject(): PropertyDecorator {
  return ValidateBy({
    name: 'isJsonObject',
    validator: {
      validate: (value: unknown) => isJsonObject(value),
      defaultMessage: () => '$property must be a JSON object',
    },
  });
}

/** The other rules hold when the member is there. Unlike IsOptional, null counts as being there. */
export function IfPresent(): PropertyDecorator {
  return ValidateIf((_dto, value: unknown) => value !== undefined);
}

/** The other rules hold for a value. Null has none: the service shows it where there is none, and takes it back. */
export function UnlessNull(): PropertyDecorator {
  return ValidateIf((_dto, value: unknown) => value !== undefined && value !== null);
}
