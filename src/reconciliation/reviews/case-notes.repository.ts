import type { CustomerTransaction } from '../../database/transaction/store';
import { timeText } from '../../database/transaction/time-text';

/** A note about a case. */
export interface CaseNote {
  readonly id: string;
  /** In UTC, with microseconds. */
  readonly at: string;
  readonly text: string;
  readonly writtenBy: string;
}

/** Stores a note. */
export async function insertNote(tx: CustomerTransaction, caseId: string, note: CaseNote): Promise<void> {
  await tx.query(
    `insert into case_notes (customer_id, id, case_id, at, text, written_by)
     values ($1, $2, $3, $4::timestamptz, $5, $6)`,
    [note.id, caseId, note.at, note.text, note.writtenBy],
  );
}

/** The latest notes about a case, newest first. */
export function latestNotes(
  tx: CustomerTransaction,
  caseId: string,
  most: number,
): Promise<readonly CaseNote[]> {
  return tx.query<CaseNote>(
    `select n.id, ${timeText('n.at')} as at, n.text, n.written_by as "writtenBy" from case_notes n
     where n.customer_id = $1 and n.case_id = $2 order by n.at desc, n.id limit $3`,
    [caseId, most],
  );
}

/** SQL condition: the case of a note of an alias is not open. */
const isNotOpen = (note: string): string =>
  `not exists (select from comparison_cases c where c.customer_id = ${note}.customer_id and c.id = ${note}.case_id)`;

/** SQL for notes that {@link deleteOldNotes} deletes when they are old: a relation with `customer_id` and `at`. */
export const expiringNotes = `select n.customer_id, n.at from case_notes n where ${isNotOpen('n')}`;

/** Deletes notes that are older than a time and whose case is not open any more, `most` at a time. @returns how many */
export function deleteOldNotes(tx: CustomerTransaction, before: Date, most: number): Promise<number> {
  return tx.execute(
    `delete from case_notes n using (
       select o.id from case_notes o
       where o.customer_id = $1 and o.at <= $2 and ${isNotOpen('o')} order by o.at limit $3
     ) old
     where n.customer_id = $1 and n.id = old.id`,
    [before, most],
  );
}
