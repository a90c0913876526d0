import { randomUUID } from 'node:crypto';
import { markTimesTaken } from '../../database/transaction/customer-lock';
import type { CustomerTransaction } from '../../database/transaction/store';
import { lockForTerms } from '../../auth/customers/customers.repository';
import { databaseTime } from '../../database/transaction/database-time';
import { recordChange } from '../../records/changes/changes.repository';
import type { TermReason } from './term-reason';

/** One of a customer's terms, and what it is from now on. */
export interface ChangedTerm {
  readonly kind: 'rate' | 'precedence' | 'rule';
  readonly name: string;
  /** Null when nothing is agreed about it any more. */
  readonly value: unknown;
}

/**
 * Begins a change of a customer's terms, and records it with the commit. Such changes follow one another. Nothing else waits
 * for them: neither a connect nor a change of a record, nor the other way round.
 *
 * @returns the time from which the new terms hold, as the database writes it
 * @throws UnknownCustomer
 */
export async function changeTerms(
  tx: CustomerTransaction,
  term: ChangedTerm,
  { reason, decidedBy }: TermReason = {},
): Promise<string> {
  await lockForTerms(tx);
  await markTimesTaken(tx);
  // Behind the lock, so that what follows begins when the former has ended.
  const at = await databaseTime(tx.store);
  const detail = {
    ...term,
    ...(reason !== undefined && { reason }),
    ...(decidedBy !== undefined && { decided_by: decidedBy }),
  };
  recordChange(tx, { id: randomUUID(), at }, { origin: 'terms', detail });
  return at;
}
