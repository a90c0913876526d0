import {
  cutText,
  stringifyJson,
  valueAt,
  type JsonObject,
  type JsonValue,
  type NativeChange,
} from '@app/mapper';
import type { WriteCommand } from '../../../connector';

/** Said of a record that cannot be found. */
export function goneReason(entityType: WriteCommand['entityType']): string {
  const posted = entityType === 'payment' ? '; it may have been posted' : '';
  return `it is not there any more, or not to be seen${posted}`;
}

/** Fields that a reason names one by one. */
const MOST_NAMED = 10;

/** Said of fields of which the platform made something else. */
export function otherValuesReason(changes: readonly NativeChange[], record: JsonObject): string {
  const named = changes
    .slice(0, MOST_NAMED)
    .map(
      ({ path, value }) =>
        `platform_b made ${shown(valueAt(record, path))} of ${path.join('.')}, not ${shown(value)}`,
    );
  const more = changes.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function shown(value: JsonValue | undefined): string {
  const text = value === undefined ? 'nothing' : stringifyJson(value);
  return text.length > 100 ? `${cutText(text, 99)}…` : text;
}
