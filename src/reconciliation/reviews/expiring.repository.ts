import {
  customersWithOlderRows,
  type CustomersWithOlderRows,
  type OlderRow,
} from '../../database/transaction/older-rows';
import type { Store } from '../../database/transaction/store';
import { expiringNotes } from '../annotations/case-notes.repository';
import { expiringReviews } from '../annotations/case-reviews.repository';

/** A page of customers with reviews or notes that are old enough to be deleted. Reads across customers. */
export function customersWithOldReviews(
  store: Store,
  before: Date,
  after?: OlderRow,
): Promise<CustomersWithOlderRows> {
  const relation = `(${expiringReviews} union all ${expiringNotes})`;
  return customersWithOlderRows(store, { table: relation, time: 'at' }, before, after);
}
