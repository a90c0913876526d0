import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { CaseNoteRow } from '../../database/entities/case-note.entity';
import type { CustomerTransaction } from '../../database/transaction/store';

/** A note about a case. Its time is in UTC, with microseconds. */
export type CaseNote = Readonly<Pick<CaseNoteRow, 'id' | 'caseId' | 'writtenAt' | 'text' | 'writtenBy'>>;

/** The table of notes about cases. */
@Injectable()
export class CaseNotesRepository {
  constructor(@InjectRepository(CaseNoteRow) private readonly rows: Repository<CaseNoteRow>) {}

  /** Stores a note. */
  async insert(tx: CustomerTransaction, { writtenAt, ...note }: CaseNote): Promise<void> {
    await this.bound(tx)
      .createQueryBuilder()
      .insert()
      .values({ ...note, customerId: tx.customerId, time: () => ':writtenAt' })
      .setParameters({ writtenAt })
      .execute();
  }

  /** The latest notes about a case, newest first. */
  latest(tx: CustomerTransaction, caseId: string, most: number): Promise<readonly CaseNote[]> {
    return this.bound(tx).find({
      where: { customerId: tx.customerId, caseId },
      order: { time: 'DESC', id: 'ASC' },
      take: most,
    });
  }

  /**
   * Deletes notes that are older than a time and whose case is no longer open, `most` at a time.
   *
   * @returns the number of deleted notes
   */
  deleteOld(tx: CustomerTransaction, before: Date, most: number): Promise<number> {
    return tx.execute(
      `delete from case_notes n using (
         select o.id from case_notes o
         where o.customer_id = $1 and o.at <= $2 and ${isNotOpen('o')} order by o.at limit $3
       ) old
       where n.customer_id = $1 and n.id = old.id`,
      [before, most],
    );
  }

  private bound(tx: CustomerTransaction): Repository<CaseNoteRow> {
    return tx.store.manager.withRepository(this.rows);
  }
}

/** SQL condition: the case of a note of an alias is not open. */
const isNotOpen = (note: string): string =>
  `not exists (select from comparison_cases c where c.customer_id = ${note}.customer_id and c.id = ${note}.case_id)`;

/** SQL for notes that `deleteOld` deletes when they are old: a relation with `customer_id` and `at`. */
export const expiringNotes = `select n.customer_id, n.at from case_notes n where ${isNotOpen('n')}`;
