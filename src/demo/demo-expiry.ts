import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work';
import { stagingTables } from '../sync/staging-tables';

/** Customers that one transaction removes: their locks are short, and what a stop undoes is little. */
const BATCH = 20;

/** Removes demo customers that have had their time, with their keys and all of their data. */
@Injectable()
export class DemoExpiry {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Removes them in small batches, each in a transaction of its own. One that is being worked for at the moment is left
   * for the next time.
   *
   * @param age milliseconds since the session was opened, by the database's clock
   * @returns how many each batch has removed, when it is done; who stops asking stops the removal
   */
  async *removeOlderThan(age: number): AsyncGenerator<number, void, undefined> {
    for (;;) {
      const removed = await this.removeBatch(age);
      yield removed;
      if (removed < BATCH) return;
    }
  }

  private removeBatch(age: number): Promise<number> {
    return this.unitOfWork.run(
      async (store) => {
        const rows = await store.query<{ id: string }>(
          `delete from customers where id in (
             select id from customers
             where kind = 'demo' and created_at <= now() - $1 * interval '1 millisecond'
             order by created_at limit ${BATCH} for update skip locked
           ) returning id`,
          [age],
        );
        for (const table of stagingTables) {
          await store.query(`delete from ${table} where customer_id = any ($1)`, [rows.map(({ id }) => id)]);
        }
        return rows.length;
      },
      { patience: 'bulk' },
    );
  }
}
