import type { JsonObject, StoredEntityType } from '@app/mapper';
import { linesIn } from '../pages/pages';
import { textIn } from '../pages/compare-fields';
import { readRecord } from '../reading/read-record';
import type { WriteSession } from './write-session';

/** A record as it was read, and whether that is still an older state of it. */
export interface FreshRecord {
  readonly record: JsonObject;
  readonly isLate: boolean;
}

/**
 * Reads a record that may be shown late: while it is an older state than what is known, it is read again after ever longer
 * pauses, and then taken as it is shown.
 *
 * @param isLate whether a record is an older state than what is known
 * @returns undefined when it is not to be seen
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

/** The version of a record, that of its lines included: a write to a line alone may leave the header's as it is. */
export function versionIn(entityType: StoredEntityType, record: JsonObject): string {
  return [record, ...linesIn(entityType, record)].map((part) => textIn(part, '@odata.etag')).join(' ');
}

/** Whether a record is an earlier state than another one, by the times that both show. */
export function isOlder(record: JsonObject, than: JsonObject | undefined): boolean {
  const [time, other] = [record, than].map((one) => Date.parse(textIn(one ?? {}, 'lastModifiedDateTime')));
  return time !== undefined && other !== undefined && time < other;
}
