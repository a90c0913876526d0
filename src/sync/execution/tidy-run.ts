import type { CustomerTransaction } from '../../database/transaction/store';
import { clearStaging } from '../run/clear-staging';
import { forgetNamed } from '../schedule/named-records.repository';

/** Removes what an ended run no longer needs: its staged rows and, if it published, the named records that it covered. */
export async function tidyRun(tx: CustomerTransaction, runId: string): Promise<void> {
  await forgetNamed(tx, runId);
  await clearStaging(tx, runId);
}
