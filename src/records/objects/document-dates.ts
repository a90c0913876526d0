import type { ComparedRecords, PlatformName, StoredEntityType } from '@app/mapper';
import { typeTraits } from '../platform-records/type-traits';

/** The dates of a record of a type with an amount, as `YYYY-MM-DD`; null for a date that the record does not have. */
export interface DocumentDates {
  /** The date of the document. */
  readonly date: string | null;
  /** The date on which the document is due for payment. */
  readonly due: string | null;
}

/** The dates of a record that is absent or has none. */
export const undated: DocumentDates = { date: null, due: null };

/** The dates of an object's record on one platform. Pure. */
export function documentDates(
  entityType: StoredEntityType,
  records: ComparedRecords,
  platform: PlatformName,
): DocumentDates {
  const { dateFields, dueDateFields } = typeTraits[entityType];
  const first = (names: readonly string[]): string | null => {
    const found = names.map((name) => records.dateOf(platform, name));
    // The database's calendar has no year 0.
    return found.find((day) => day !== null && !day.startsWith('0000')) ?? null;
  };
  return { date: first(dateFields), due: first(dueDateFields) };
}
