import { type DataSource, TypeORMError } from 'typeorm';
import { leaseConnection, type LeasedConnection } from '../connection/connection-pool';
import { sessionsAreShared } from '../connection/data-source';
import { DatabaseUnavailable, isDatabaseFailure, sqlStateOf } from '../connection/database-errors';
import { openingStatements, type TransactionOptions } from '../connection/transaction-opening';
import { TransactionStore } from './transaction-store';
import { StatementPipeline } from '../connection/statement-pipeline';

/** One transaction on one connection of the pool. A connection in doubt is destroyed instead of being returned. */
export class Transaction {
  readonly store: TransactionStore;
  private readonly pipeline: StatementPipeline;

  private constructor(
    dataSource: DataSource,
    private readonly connection: LeasedConnection,
    private readonly loss: AbortSignal,
    private readonly options: TransactionOptions,
  ) {
    const shared = sessionsAreShared(dataSource);
    // Bulk work is planned anew for the present data, because its tables may have been empty a moment ago.
    const prepared = !shared && options.deadlines === 'request';
    this.pipeline = new StatementPipeline(connection.client, openingStatements(options, shared), prepared);
    this.store = new TransactionStore(dataSource, connection.client, this.pipeline);
    loss.addEventListener('abort', this.abandon);
  }

  /**
   * Takes a connection. The first statement begins the transaction.
   *
   * @param loss destroys the connection when it aborts; its reason must be an Error
   * @throws DatabaseUnavailable for every failure; nothing has been sent then
   */
  static async begin(
    dataSource: DataSource,
    loss: AbortSignal,
    options: TransactionOptions,
  ): Promise<Transaction> {
    try {
      const connection = await leaseConnection(dataSource);
      if (!loss.aborted) return new Transaction(dataSource, connection, loss, options);
      // A connection that arrives too late is returned unused.
      connection.release();
      throw loss.reason;
    } catch (error) {
      throw new DatabaseUnavailable('No transaction could be begun', { cause: error });
    }
  }

  /** @throws Error if the work caught the error of a failed statement and continued: PostgreSQL then commits nothing */
  async commit(): Promise<void> {
    const answer = await this.pipeline.commit();
    // PostgreSQL does not fail a COMMIT of a failed transaction: it rolls back, and its command tag says so.
    if (answer !== 'COMMIT')
      throw new Error('A statement failed, the work went on, and nothing was committed');
  }

  /** Rolls back. If that fails, it destroys the connection, which rolls back too. Never rejects. */
  async rollBack(): Promise<void> {
    try {
      if (this.connection.client.usable && this.pipeline.isOpen) {
        await this.pipeline.rollBack();
      }
    } catch (error) {
      this.connection.client.abandon(new Error('The transaction could not be rolled back', { cause: error }));
    }
  }

  /** Returns the connection to the pool, or destroys it if a transaction is still open on it. */
  async release(): Promise<void> {
    this.loss.removeEventListener('abort', this.abandon);
    if (this.pipeline.isOpen) this.connection.client.abandon(new Error('The transaction was left open'));
    await this.store.end();
    this.connection.release();
  }

  /** The error for the caller of the unit of work, from the error of the work or the commit. */
  translate(error: unknown): unknown {
    if (!(error instanceof TypeORMError)) return error;
    const { failure } = this.connection.client;
    if (failure !== undefined) return new DatabaseUnavailable('The connection broke', { cause: failure });
    // A write in read-only work is a defect of this service, not a sign that the server became a standby.
    const ownFault = this.options.readOnly === true && sqlStateOf(error) === READ_ONLY_TRANSACTION;
    if (ownFault || !isDatabaseFailure(error)) return error;
    return new DatabaseUnavailable('The database could not run a statement', { cause: error });
  }

  // Every abort has an Error as its reason.
  private readonly abandon = (): void => this.connection.client.abandon(this.loss.reason as Error);
}

const READ_ONLY_TRANSACTION = '25006';
