import type { Store } from './store';

/**
 * One customer's part of a transaction. It binds the customer: each statement has the customer's ID as `$1`, and the parameters
 * that a caller gives follow from `$2` on. PostgreSQL refuses a statement that leaves a parameter out, so a statement that
 * forgets the customer fails the first time that it runs.
 */
export class CustomerTransaction {
  constructor(
    /** The whole transaction, for statements that name no customer. */
    readonly store: Store,
    readonly customerId: string,
  ) {}

  /** Runs one statement and returns its rows, or those of its RETURNING clause. */
  query<Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return this.store.query(sql, [this.customerId, ...parameters]);
  }

  /** Runs one statement that writes; how many rows it wrote. */
  execute(sql: string, parameters: readonly unknown[] = []): Promise<number> {
    return this.store.execute(sql, [this.customerId, ...parameters]);
  }

  /** See {@link Store.copyIn}. The rows carry the customer's ID themselves. */
  copyIn(sql: string, chunks: AsyncIterable<Buffer>): Promise<void> {
    return this.store.copyIn(sql, chunks);
  }

  /** Sends a write whose result is not needed before the commit, see {@link Store.queryLater}. */
  queryLater(sql: string, parameters: readonly unknown[] = []): void {
    this.store.queryLater(sql, [this.customerId, ...parameters]);
  }
}
