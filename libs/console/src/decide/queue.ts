import type { Case } from '../data/cases';
import type { RecordName } from '../data/decisions';
import { countText } from '../parts/values/money-text';

type Row = Pick<Case, 'id' | 'records'>;

/** Whether two names are those of one record. */
export function isSameRecord(one: RecordName, other: RecordName): boolean {
  return one.platform === other.platform && one.platform_id === other.platform_id;
}

/** The case before, if it is on this page. */
export function before<One extends Row>(rows: readonly One[], id: string): One | undefined {
  const place = rows.findIndex((row) => row.id === id);
  return place < 1 ? undefined : rows[place - 1];
}

/**
 * The next case, without cases about a record that was decided together with this one, because the decision settles
 * them too. If the present case is not on the page, the first case of the page.
 */
export function behind<One extends Row>(
  rows: readonly One[],
  id: string,
  decided: readonly RecordName[] = [],
): One | undefined {
  const place = rows.findIndex((row) => row.id === id);
  return rows
    .slice(place + 1)
    .find(
      (row) => row.id !== id && !row.records.some((one) => decided.some((name) => isSameRecord(one, name))),
    );
}

/** Where a case stands in its list: `Case 3 of 14`. */
export function placeWords(rows: readonly Row[], id: string, total: number, isFirstPage: boolean): string {
  const place = rows.findIndex((row) => row.id === id) + 1;
  const count = countText(total);
  if (place === 0) return `${count} in the list`;
  return isFirstPage ? `Case ${place} of ${count}` : `Case ${place} of this page, ${count} in the list`;
}
