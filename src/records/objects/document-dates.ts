import type { ComparedRecords, PlatformName, StoredEntityType } from '@app/mapper';
import { dateFields } from '../platform-records/date-fields';

/** The days that a record of a type with an amount bears, `YYYY-MM-DD`; null where it names none. */
export interface DocumentDates {
  /** Of the document itself. */
  readonly date: string | null;
  readonly due: string | null;
}

/** A record that is absent, or bears no date. */
export const undated: DocumentDates = { date: null, due: null };

/** The days of a platform's record. Pure. */
export function documentDates(
  entityType: StoredEntityType,
  records: ComparedRecords,
  platform: PlatformName,
): DocumentDates {
  const fields = dateFields[entityType];
  if (fields === undefined) return undated;
  const first = (names: readonly string[]): string | null => {
    const found = names.map((name) => records.dateOf(platform, name));
    // The database's calendar has no year 0.
    return found.find((day) => day !== null && !day.startsWith('0000')) ?? null;
  };
  return { date: first(fields.date), due: first(fields.due) };
}
