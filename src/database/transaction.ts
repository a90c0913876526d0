import { type DataSource, TypeORMError } from 'typeorm';
import { timeoutsOf } from './data-source';
import type { DatabaseClient } from './database-client';
import { DatabaseUnavailable, isDatabaseFailure, sqlStateOf, statementFailed } from './database-errors';
import { IDLE_STREAM_LIMIT_MS, LOCK_LIMIT_MS } from './limits';
import { setOnAllServers } from './on-all-servers';
import type { Patience, Watch } from './patience';
import { TransactionStore } from './transaction-store';
import { WatchedQueryRunner } from './watched-query-runner';

export interface TransactionOptions {
  readonly patience: Patience;
  readonly isolation?: 'READ COMMITTED' | 'REPEATABLE READ';
  readonly readOnly?: boolean;
  /** A lock that is not given within {@link LOCK_LIMIT_MS} fails the statement. */
  readonly shortLocks?: boolean;
}

/** One transaction on one connection of the pool, which gets the connection back in order or not at all. */
export class Transaction {
  readonly store: TransactionStore;

  private constructor(
    private readonly runner: WatchedQueryRunner,
    private readonly client: DatabaseClient,
    private readonly watch: Watch,
    private readonly loss: AbortSignal,
    private readonly options: TransactionOptions,
  ) {
    this.store = new TransactionStore(runner, client, watch);
    loss.addEventListener('abort', this.abandon);
  }

  /**
   * Takes a connection and begins.
   *
   * @param loss its abort, with an Error as reason, destroys the connection
   * @throws DatabaseUnavailable whatever went wrong: only our own statements have been sent so far
   */
  static async begin(
    dataSource: DataSource,
    watch: Watch,
    loss: AbortSignal,
    options: TransactionOptions,
  ): Promise<Transaction> {
    try {
      const runner = new WatchedQueryRunner(dataSource, watch);
      const client = await runner.connect();
      const transaction = new Transaction(runner, client, watch, loss, options);
      await transaction.start();
      return transaction;
    } catch (error) {
      throw new DatabaseUnavailable('No transaction could be begun', { cause: error });
    }
  }

  private async start(): Promise<void> {
    try {
      // A connection that comes too late goes back unused.
      this.loss.throwIfAborted();
      // By TypeORM, so that transactions inside this one become savepoints.
      await this.runner.startTransaction();
      const settings = settingsOf(this.options, timeoutsOf(this.runner.dataSource));
      if (settings !== '') await this.runner.query(settings);
    } catch (error) {
      await this.leave();
      throw error;
    }
  }

  /** @throws Error when a statement failed and the work hid that, since PostgreSQL then commits nothing */
  async commit(): Promise<void> {
    const answer = await this.end('commit');
    // COMMIT of a failed transaction is no error to PostgreSQL: it rolls back and says so.
    if (answer !== 'COMMIT')
      throw new Error('A statement failed, the work went on, and nothing was committed');
  }

  /** Rolls back. Where that fails the connection is destroyed, which rolls back as well, so this never rejects. */
  async rollBack(): Promise<void> {
    try {
      if (this.client.usable && !this.isOver()) await this.end('rollback');
    } catch (error) {
      this.client.abandon(new Error('The transaction could not be rolled back', { cause: error }));
    }
  }

  /** Gives the connection back, or destroys it if anything is still open on it. */
  async leave(): Promise<void> {
    this.loss.removeEventListener('abort', this.abandon);
    if (!this.isOver()) this.client.abandon(new Error('The transaction was left open'));
    // TypeORM takes a broken connection out of the pool when it hears of the break; released before that, it would be
    // handed to the next in line.
    if (this.client.usable) await this.runner.release();
  }

  /** The error that the caller of the unit of work gets when the work, or the commit, threw this one. */
  translate(error: unknown): unknown {
    if (!(error instanceof TypeORMError)) return error;
    const { failure } = this.client;
    if (failure !== undefined) return new DatabaseUnavailable('The connection broke', { cause: failure });
    // A write in work that said it only reads is our fault, not a sign that the server became a standby.
    const ownFault = this.options.readOnly === true && sqlStateOf(error) === READ_ONLY_TRANSACTION;
    if (ownFault || !isDatabaseFailure(error)) return error;
    return new DatabaseUnavailable('The database could not run a statement', { cause: error });
  }

  /** Not by TypeORM, whose methods end the innermost savepoint only and keep the server's answer to themselves. */
  private async end(statement: 'commit' | 'rollback'): Promise<string> {
    try {
      return (await this.watch.during(() => this.client.query(statement))).command;
    } catch (error) {
      throw statementFailed(statement, error);
    }
  }

  private isOver(): boolean {
    return this.client.getTransactionStatus() === 'I';
  }

  // Whoever aborts says why with an Error.
  private readonly abandon = (): void => this.client.abandon(this.loss.reason as Error);
}

const READ_ONLY_TRANSACTION = '25006';

function settingsOf(
  { patience, isolation, readOnly, shortLocks }: TransactionOptions,
  timeouts: string,
): string {
  const modes = [isolation && `isolation level ${isolation}`, readOnly === true && 'read only'].filter(
    Boolean,
  );
  const limits = {
    request: timeouts,
    // The server's clock would run on while the reader is busy; ours stops.
    stream: `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = ${IDLE_STREAM_LIMIT_MS}`,
    bulk: 'set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0',
  };
  return [
    modes.length > 0 && `set transaction ${modes.join(', ')}`,
    limits[patience],
    shortLocks === true && setOnAllServers(`lock_timeout = ${LOCK_LIMIT_MS}`),
  ]
    .filter(Boolean)
    .join('; ');
}
