import type { JsonObject, StoredEntityType } from '@app/mapper';
import { textIn } from '../../pages/compare-fields';
import { linesIn } from '../../pages/pages';

/** The version of a record, including its lines. A write to a line may leave the header's version unchanged. */
export function versionIn(entityType: StoredEntityType, record: JsonObject): string {
  return [record, ...linesIn(entityType, record)].map((part) => textIn(part, '@odata.etag')).join(' ');
}

/** Whether a record shows an earlier state than another one, by the modification times of both. */
export function isOlder(record: JsonObject, than: JsonObject | undefined): boolean {
  const [time, other] = [record, than].map((one) => Date.parse(textIn(one ?? {}, 'lastModifiedDateTime')));
  return time !== undefined && other !== undefined && time < other;
}
