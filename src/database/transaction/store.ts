import type { EntityManager } from 'typeorm';

/**
 * One transaction: the only handle to the database that a service has. It ends with the unit of work; statements run
 * one after the other. Those that are asked for together (`Promise.all`) go to the server in one round trip, and when one
 * fails, those behind it do not run. Settings must be local (`set local`), since the connection goes back to the pool.
 *
 * Errors of statements are TypeORM's QueryFailedError; `sqlStateOf` reads them. After one the
 * transaction can only be rolled back, unless a savepoint (`manager.transaction`) was around the statement.
 */
export interface Store {
  /** TypeORM's entity manager. `manager.withRepository` binds an injected repository to the transaction. */
  readonly manager: EntityManager;

  /** The part of the transaction that is for one customer. */
  forCustomer(customerId: string): CustomerTransaction;

  /** Runs one statement and returns its rows, or those of its RETURNING clause. */
  query<Row extends object>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;

  /** Runs one statement that writes; how many rows it wrote. */
  execute(sql: string, parameters: readonly unknown[]): Promise<number>;

  /**
   * Sends a write whose result is not needed before the commit. It goes with the next statements, at the latest with
   * the commit. Its error ends the unit of work.
   */
  queryLater(sql: string, parameters: readonly unknown[]): void;

  /**
   * Sets a configuration parameter until the transaction ends, on this server and on those of a cluster.
   *
   * @param setting as in `lock_timeout = 200`; never from outside
   */
  set(setting: string): Promise<void>;

  /** Lets the commit return before the transaction is on disk. A crash may lose the transaction, whole. */
  commitWithoutFlush(): void;

  /**
   * Plans the statements of the transaction for any parameters, not for those of a call. For work on many pages of one
   * customer: statistics know no rows of a customer whose first rows are being written, so a plan for that customer would read
   * all of its rows for each page.
   */
  planForAnyParameters(): void;

  /**
   * COPY … FROM STDIN in text format. The chunks are UTF-8, already escaped, and may be cut anywhere. What reading them
   * throws rises unchanged.
   */
  copyIn(sql: string, chunks: AsyncIterable<Buffer>): Promise<void>;
}

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
