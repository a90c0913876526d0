import type { PlatformName } from '@app/mapper';
import type { LeftField } from '../../../outbox/command/left-field';

/**
 * A field that the platform has and that clients cannot write here: never, only when the record is created, or only in
 * an existing record.
 */
export function leftReadOnly(platform: PlatformName, field: string): LeftField {
  return { field, reason: `${platform} does not let ${field} be written` };
}

/** A field that the platform does not have. */
export function leftAbsent(platform: PlatformName, field: string): LeftField {
  return { field, reason: `${platform} has no field for ${field}` };
}

/** A value that the platform cannot represent, such as an unknown status. */
export function leftFormless(platform: PlatformName, field: string): LeftField {
  return { field, reason: `${platform} has no form for this value of ${field}` };
}

/** A reference to an object that the platform does not have. */
export function leftUnknown(platform: PlatformName, field: string): LeftField {
  return { field, reason: `${platform} has no record of what ${field} names` };
}

/** The reasons of some fields in one text; undefined where no field was left. */
export function reasonOf(left: readonly LeftField[]): string | undefined {
  return left.length === 0 ? undefined : [...new Set(left.map(({ reason }) => reason))].join('; ');
}
