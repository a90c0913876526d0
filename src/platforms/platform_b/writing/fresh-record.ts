import type { JsonObject, StoredEntityType } from '@app/mapper';
import { linesIn } from '../pages/pages';
import { textIn } from '../pages/compare-fields';
import { readRecord } from '../reading/read-record';
import type { WriteSession } from './write-session';

/** A record, and whether it still shows an older state. */
export interface FreshRecord {
  readonly record: JsonObject;
  readonly isLate: boolean;
}

/**
 * Reads a record that the platform may show late. While the record shows an older state, the function reads it again
 * after growing pauses. After the last pause it returns the record as it is.
 *
 * @param isLate whether a record shows an older state than the known one
 * @returns undefined if the record cannot be seen
 * @throws PlatformError; the signal's reason
 */
export async function readFresh(
  writer: WriteSession,
  entityType: StoredEntityType,
  id: string,
  isLate: (record: JsonObject) => boolean | Promise<boolean>,
): Promise<FreshRecord | undefined> {
  const { session, signal, pauses } = writer;
  for (let looks = 0; ; looks += 1) {
    const record = await readRecord(session, entityType, id, signal);
    if (record === undefined) return undefined;
    if (!(await isLate(record))) return { record, isLate: false };
    const pause = pauses[looks];
    if (pause === undefined) return { record, isLate: true };
    await writer.pause(pause);
  }
}

/** The version of a record, including its lines. A write to a line may leave the header's version unchanged. */
export function versionIn(entityType: StoredEntityType, record: JsonObject): string {
  return [record, ...linesIn(entityType, record)].map((part) => textIn(part, '@odata.etag')).join(' ');
}

/** Whether a record shows an earlier state than another one, by the modification times of both. */
export function isOlder(record: JsonObject, than: JsonObject | undefined): boolean {
  const [time, other] = [record, than].map((one) => Date.parse(textIn(one ?? {}, 'lastModifiedDateTime')));
  return time !== undefined && other !== undefined && time < other;
}
