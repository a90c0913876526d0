import type { EntityManager } from 'typeorm';

/**
 * One transaction: the only handle to the database that a service has. It ends with the unit of work. Statements run one
 * after the other. Statements that are issued together (`Promise.all`) go to the server in one round trip; if one fails,
 * those after it do not run. Parameters must be set with `set local`, because the connection returns to the pool.
 *
 * A failed statement throws TypeORM's QueryFailedError; `sqlStateOf` reads it. After that the transaction can only be
 * rolled back, unless the statement was inside a savepoint (`manager.transaction`).
 */
export interface Store {
  /** TypeORM's entity manager. `manager.withRepository` binds an injected repository to the transaction. */
  readonly manager: EntityManager;

  /** The transaction, bound to one customer. */
  forCustomer(customerId: string): CustomerTransaction;

  /** Runs one statement and returns its rows, or those of its RETURNING clause. */
  query<Row extends object>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;

  /** Runs one statement that writes. @returns the number of rows that it wrote */
  execute(sql: string, parameters: readonly unknown[]): Promise<number>;

  /**
   * Sends a write whose result is not needed before the commit. It goes with the next statements, at the latest with
   * the commit. Its error ends the unit of work.
   */
  queryLater(sql: string, parameters: readonly unknown[]): void;

  /**
   * Sets a configuration parameter until the transaction ends, on this server and on those of a cluster.
   *
   * @param setting as in `lock_timeout = 200`. It goes into the statement unescaped, so it must be a constant
   */
  set(setting: string): Promise<void>;

  /** Lets the commit return before the transaction is on disk. A crash may lose the whole transaction. */
  commitWithoutFlush(): void;

  /**
   * Makes the server plan the statements of the transaction for any parameters, not for those of a call. It is for work on
   * many pages of one customer: statistics know no rows of a customer whose first rows are being written, so a plan for
   * that customer would read all of its rows for each page. A Citus cluster plans as it usually does, because it cannot
   * plan for any parameters.
   */
  planForAnyParameters(): void;

  /**
   * COPY … FROM STDIN in text format.
   *
   * @param chunks UTF-8, already escaped; they may be cut anywhere
   * @throws QueryFailedError if the server refuses the copy; errors of the chunks are thrown unchanged
   */
  copyIn(sql: string, chunks: AsyncIterable<Buffer>): Promise<void>;
}

/**
 * A transaction that is bound to one customer. Each statement has the customer's ID as `$1`; the caller's parameters follow
 * from `$2` on. PostgreSQL refuses a statement that does not use every parameter, so a statement that forgets the customer
 * fails the first time it runs.
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

  /** Runs one statement that writes. @returns the number of rows that it wrote */
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
