import type { CustomerTransaction } from '../../database/transaction/store';
import { deleteStagedMatches } from '../../matching/round/staged-matches.repository';
import { deleteStagedRecords } from '../../matching/round/staged-records.repository';
import { deleteCheckpoints } from './checkpoints.repository';

/**
 * Removes the staged rows of a run, or of all runs of the customer if none is named. These rows have no foreign key to
 * the customer. So a transaction that deletes a customer also calls this function, after it has deleted the customer's
 * row: from then on a run under way can stage nothing more.
 */
export async function clearStaging(tx: CustomerTransaction, runId?: string): Promise<void> {
  await deleteStagedRecords(tx, runId);
  await deleteStagedMatches(tx, runId);
  await deleteCheckpoints(tx, runId);
}
