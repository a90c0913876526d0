import { valueAt, type JsonObject, type NativeChange } from '@app/mapper';
import type { WriteCommand } from '../../../connector';
import { shownValue } from '../../../shown-value';

/** Why a record cannot be written that cannot be found. */
export function goneReason(entityType: WriteCommand['entityType']): string {
  const posted = entityType === 'payment' ? '; it may have been posted' : '';
  return `it is not there any more, or not to be seen${posted}`;
}

/** Characters of a value in a reason. */
const LONGEST_VALUE = 100;

/** Fields that a reason names one by one. */
const MOST_NAMED = 10;

/** The reason for fields in which the platform stored other values. */
export function otherValuesReason(changes: readonly NativeChange[], record: JsonObject): string {
  const named = changes
    .slice(0, MOST_NAMED)
    .map(
      ({ path, value }) =>
        `platform_b made ${shownValue(valueAt(record, path), LONGEST_VALUE)} of ${path.join('.')}, not ${shownValue(value, LONGEST_VALUE)}`,
    );
  const more = changes.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
