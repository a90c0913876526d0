import { markTimesTaken } from '../../database/transaction/customer-lock';
import { databaseTime } from '../../database/transaction/database-time';
import type { CustomerTransaction } from '../../database/transaction/store';
import { outdatedAcceptances, saveReviews, type ChangedCase } from './case-reviews.repository';

/**
 * Ends the acceptances of cases that a refresh has closed or replaced with other values. So an accepted difference that
 * changes, or that disappears and returns, is open again. The caller's transaction holds the lease.
 *
 * @param changed cases that had other values for a while before the refresh
 */
export async function endOutdated(tx: CustomerTransaction, changed: readonly ChangedCase[]): Promise<void> {
  const outdated = await outdatedAcceptances(tx, changed);
  if (outdated.length === 0) return;
  await markTimesTaken(tx);
  await saveReviews(
    tx,
    await databaseTime(tx.store),
    outdated.map(({ id, owner, closed }) => ({
      caseId: id,
      owner,
      acceptance: null,
      endedBy: closed ? 'closed' : 'value_changed',
    })),
  );
}
