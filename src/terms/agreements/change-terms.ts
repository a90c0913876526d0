import { randomUUID } from 'node:crypto';
import { markTimesTaken } from '../../database/transaction/customer-lock';
import type { CustomerTransaction } from '../../database/transaction/store';
import { lockForTerms } from '../../auth/customers/customers.repository';
import { databaseTime } from '../../database/transaction/database-time';
import { recordChange } from '../../records/changes/changes.repository';
import type { TermReason } from './term-reason';

/** One of a customer's terms, and its value from now on. */
export interface ChangedTerm {
  readonly kind: 'rate' | 'precedence' | 'rule' | 'field';
  readonly name: string;
  /** Null to end the agreement. */
  readonly value: unknown;
}

/**
 * Begins a change of a customer's terms, and records it with the commit. Such changes run one after another. Connects
 * and changes of records do not wait for them, and they do not wait for those.
 *
 * @returns the time from which the new terms apply, as the database writes it
 * @throws UnknownCustomer
 */
export async function changeTerms(
  tx: CustomerTransaction,
  term: ChangedTerm,
  { reason, decidedBy }: TermReason = {},
): Promise<string> {
  await lockForTerms(tx);
  await markTimesTaken(tx);
  // After the lock, so that the new term begins when the former has ended.
  const at = await databaseTime(tx.store);
  const detail = {
    ...term,
    ...(reason !== undefined && { reason }),
    ...(decidedBy !== undefined && { decided_by: decidedBy }),
  };
  recordChange(tx, { id: randomUUID(), at }, { origin: 'terms', detail });
  return at;
}
