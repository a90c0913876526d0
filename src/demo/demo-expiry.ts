import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment';
import { UnitOfWork } from '../database/unit-of-work';

/** Customers that one transaction removes: their locks are short, and what a stop undoes is little. */
const BATCH = 20;

/** Removes demo customers that have had their time, with their keys and all of their data. */
@Injectable()
export class DemoExpiry {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * Removes them in small batches. One that is being worked for at the moment is left for the next time.
   *
   * @param olderThanMs age by the database's clock; unless given, that of the environment, by which 0 means never
   * @param stop ends it after the batch that is under way
   * @returns how many were removed
   */
  async removeExpired(olderThanMs?: number, stop?: AbortSignal): Promise<number> {
    const age = olderThanMs ?? this.environment.demoSessionTtlMs;
    if (olderThanMs === undefined && age === 0) return 0;
    let removed = 0;
    for (;;) {
      const batch = await this.removeBatch(age);
      removed += batch;
      if (batch < BATCH || stop?.aborted === true) return removed;
    }
  }

  private removeBatch(age: number): Promise<number> {
    return this.unitOfWork.run(
      async (store) => {
        const rows = await store.query(
          `delete from customers where id in (
             select id from customers
             where kind = 'demo' and created_at <= now() - $1 * interval '1 millisecond'
             order by created_at limit ${BATCH} for update skip locked
           ) returning id`,
          [age],
        );
        return rows.length;
      },
      { patience: 'bulk' },
    );
  }
}
