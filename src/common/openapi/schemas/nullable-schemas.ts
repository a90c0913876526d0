import { platformNames, storedEntityTypes } from '@app/mapper';

const text = { type: 'string' };

/**
 * The schema of a value that matches another schema or is null. Some client generators fail on null in an enumeration.
 */
export function orNull<Schema extends object>(
  schema: Schema,
): { readonly anyOf: (Schema | { type: string })[] } {
  return { anyOf: [schema, { type: 'null' }] };
}

export const nullableText = orNull(text);
export const nullableDay = orNull({ ...text, format: 'date' });
export const nullableTime = orNull({ ...text, format: 'date-time' });
export const nullablePlatform = orNull({ ...text, enum: [...platformNames] });
export const nullableType = orNull({ ...text, enum: [...storedEntityTypes] });
