import type { CustomerTransaction } from '../../database/transaction/store';
import { deleteStagedMatches } from '../../matching/round/staged-matches.repository';
import { deleteStagedRecords } from '../../matching/round/staged-records.repository';
import { deleteCheckpoints } from '../reading/checkpoints.repository';

/**
 * Removes what a run has staged; what all runs of the customer have staged when none is named. These rows have no foreign key
 * to the customer, so a transaction that deletes a customer calls this too, after it has deleted the customer: then a run
 * under way can stage nothing more.
 */
export async function clearStaging(tx: CustomerTransaction, runId?: string): Promise<void> {
  await deleteStagedRecords(tx, runId);
  await deleteStagedMatches(tx, runId);
  await deleteCheckpoints(tx, runId);
}
