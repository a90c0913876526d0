import { Injectable } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { untilFirstOf } from '../../runtime/clock/deadline';
import { Admission, type WorkOwner } from '../../runtime/fairness/admission';
import { POOL_SIZE } from '../connection/data-source';
import { DatabaseProbe } from '../connection/database-probe';
import { CustomerDeleted } from './customer-deleted';
import { DatabaseUnavailable, isLockFailure, mayMeanDeletion } from '../connection/database-errors';
import { REQUEST_LIMIT_MS } from '../connection/limits';
import { type Deadlines, startWatch } from '../connection/deadlines';
import type { CustomerTransaction, Store } from './store';
import type { TransactionOptions } from '../connection/transaction-opening';
import { Transaction } from './transaction';

/**
 * The options of a unit of work. Default: the deadlines of a request, READ COMMITTED, read and write, work of the
 * service itself.
 */
export interface UnitOfWorkOptions {
  /** How long the database may take, see {@link Deadlines}. */
  readonly deadlines?: Deadlines;
  readonly isolation?: 'READ COMMITTED' | 'REPEATABLE READ';
  /** Whether the server refuses statements that write. */
  readonly readOnly?: boolean;
  /**
   * The customer that the work is for. Each customer has a bounded share of the connections and waits for its turn
   * before it takes one.
   */
  readonly customerId?: string;
  /**
   * Units of work with the same customer and queue run one after another, in order of arrival. They wait before they
   * take a connection.
   */
  readonly queue?: string;
  /**
   * Milliseconds for which the work is retried when a lock is not available. An attempt does not wait long for a
   * lock: it rolls back, releases its connection and starts again. The work must therefore have no effect outside of
   * its store.
   */
  readonly lockWaitMs?: number;
  /**
   * Ends the wait for a connection when it aborts, for instance because the client is gone. Work that has begun
   * continues.
   */
  readonly signal?: AbortSignal;
}

/** Work that only reads, and all of whose statements see one moment: no change that is committed meanwhile. */
export const ONE_SNAPSHOT = {
  readOnly: true,
  isolation: 'REPEATABLE READ',
} as const satisfies UnitOfWorkOptions;

/** The same, for as long as it takes. */
export const LONG_SNAPSHOT = { ...ONE_SNAPSHOT, deadlines: 'bulk' } as const satisfies UnitOfWorkOptions;

/** A statement with its parameters; it has at least one. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** The pause between two attempts at a lock, in milliseconds. The random part keeps competing attempts apart. */
const LOCK_PAUSE_MS = { least: 10, most: 50 } as const;

/** The rows of several statements, by the position of the statement. */
export type RowsOfEach<Rows extends readonly object[]> = {
  readonly [Place in keyof Rows]: readonly Rows[Place][];
};

/**
 * Runs all access to the database. Services use nothing else, because an injected repository or data source has no
 * time limit and waits for a frozen database indefinitely.
 */
@Injectable()
export class UnitOfWork {
  private readonly admission: Admission;

  constructor(
    private readonly dataSource: DataSource,
    private readonly probe: DatabaseProbe,
  ) {
    this.admission = new Admission(dataSource.options.poolSize ?? POOL_SIZE);
  }

  /** The number of units of work that wait for their turn or for a connection. */
  get waiting(): number {
    return this.admission.waiting;
  }

  /**
   * Runs the work in one transaction and commits. The work must not wait for another unit of work: with the pool
   * exhausted each would wait for the other.
   *
   * @throws the work's error, after rolling back. Errors of the driver (constraints, locks, deadlocks) are passed on
   *   unchanged, except those that mean that the database failed. Only `lockWaitMs` retries the work
   * @throws CustomerDeleted instead of the driver's error if the customer was deleted meanwhile
   * @throws StillBusy when earlier work in the same queue does not end within `lockWaitMs`
   * @throws Overloaded when too much other work waits for a connection, or waits too long
   * @throws DatabaseUnavailable within 4 s when the database is stopped or does not respond. The connection is then
   *   destroyed, and the transaction with it unless its commit was under way. The store refuses further statements of
   *   the work
   */
  async run<T>(work: (store: Store) => Promise<T>, options: UnitOfWorkOptions = {}): Promise<T> {
    return this.runAttempts((transaction) => runAndCommit(transaction, work), options);
  }

  /**
   * Runs the work for one customer, as {@link run} does. The work counts towards the customer's share of the connections.
   *
   * @throws as {@link run} does
   */
  async runFor<T>(
    customerId: string,
    work: (tx: CustomerTransaction) => Promise<T>,
    options: Omit<UnitOfWorkOptions, 'customerId'> = {},
  ): Promise<T> {
    return this.run((store) => work(store.forCustomer(customerId)), { ...options, customerId });
  }

  /**
   * Runs one reading statement in its own transaction and in one round trip. The statement sees one snapshot.
   *
   * @throws as {@link run} does; READ_ONLY_TRANSACTION for a statement that writes
   */
  async read<Row extends object>(
    sql: string,
    parameters: readonly unknown[],
    options: Omit<UnitOfWorkOptions, 'readOnly' | 'isolation'> = {},
  ): Promise<Row[]> {
    return this.runAttempts(
      async (transaction) => {
        // Issued together, so that they share a round trip.
        const [rows] = await Promise.all([
          transaction.store.query<Row>(sql, parameters),
          transaction.commit(),
        ]);
        return rows;
      },
      { ...options, readOnly: true },
    );
  }

  /**
   * Runs independent statements in their own transaction and in one round trip. Each statement sees what the earlier
   * ones have written.
   *
   * @returns the rows of each statement, in order
   * @throws as {@link run} does
   */
  async runTogether<Rows extends readonly object[]>(
    statements: { readonly [Place in keyof Rows]: Statement },
    options: UnitOfWorkOptions = {},
  ): Promise<RowsOfEach<Rows>> {
    return this.runAttempts(async (transaction) => {
      const [rows] = await Promise.all([
        Promise.all(statements.map(({ sql, parameters }) => transaction.store.query(sql, parameters))),
        transaction.commit(),
      ]);
      if (!hasResultForEach<Rows>(rows, statements.length)) throw new Error('A statement has no result');
      return rows;
    }, options);
  }

  private async runAttempts<T>(work: TransactionWork<T>, options: UnitOfWorkOptions): Promise<T> {
    try {
      return await this.runWatched(work, options);
    } catch (error) {
      const { customerId } = options;
      if (customerId === undefined || !mayMeanDeletion(error) || (await this.exists(customerId))) throw error;
      throw new CustomerDeleted({ cause: error });
    }
  }

  /**
   * Queries the table instead of reading the error: a cluster does not name the constraint, and not every constraint
   * leads to the customer.
   */
  private async exists(customerId: string): Promise<boolean> {
    const found = await this.read('select 1 from customers where id = $1', [customerId]);
    return found.length > 0;
  }

  private async runWatched<T>(work: TransactionWork<T>, options: UnitOfWorkOptions): Promise<T> {
    const deadlines = options.deadlines ?? 'request';
    const loss = new AbortController();
    // Work that may wait for locks is watched from the start. Its time limit applies to each attempt (see
    // TransactionAttempt.run).
    const watched = options.lockWaitMs === undefined ? deadlines : 'bulk';
    const endWatch = startWatch(watched, this.probe, (reason) => loss.abort(new DatabaseUnavailable(reason)));
    const lost = new Promise<never>((_resolve, reject) => {
      loss.signal.addEventListener('abort', () => reject(loss.signal.reason as DatabaseUnavailable));
    });
    const signals = options.signal === undefined ? [loss.signal] : [loss.signal, options.signal];
    try {
      return await untilFirstOf(signals, (waiting) => {
        const attempt = new TransactionAttempt(work, options, deadlines, loss, waiting);
        return Promise.race([this.runInQueue(attempt), lost]);
      });
    } finally {
      endWatch();
    }
  }

  private async runInQueue<T>(attempt: TransactionAttempt<T>): Promise<T> {
    const { queue, lockWaitMs } = attempt.options;
    if (queue === undefined) return this.retryOnLockFailure(attempt);
    const endTurn = await attempt.admit((signal) =>
      this.admission.waitForTurn(attempt.owner, queue, signal, lockWaitMs),
    );
    try {
      return await this.retryOnLockFailure(attempt);
    } finally {
      endTurn();
    }
  }

  /** Retries the work until it gets its locks or `lockWaitMs` is over. */
  private async retryOnLockFailure<T>(attempt: TransactionAttempt<T>): Promise<T> {
    const until = performance.now() + (attempt.options.lockWaitMs ?? 0);
    for (;;) {
      try {
        return await this.runWithConnection(attempt);
      } catch (error) {
        if (!isLockFailure(error) || performance.now() >= until) throw error;
      }
      const { least, most } = LOCK_PAUSE_MS;
      await pause(least + Math.random() * (most - least));
      attempt.waiting.throwIfAborted();
    }
  }

  private async runWithConnection<T>(attempt: TransactionAttempt<T>): Promise<T> {
    const leave = await attempt.admit((signal) => this.admission.acquireConnection(attempt.owner, signal));
    try {
      return await attempt.run(this.dataSource);
    } finally {
      leave();
    }
  }
}

/** Runs the work in a transaction and commits it. */
type TransactionWork<T> = (transaction: Transaction) => Promise<T>;

async function runAndCommit<T>(transaction: Transaction, work: (store: Store) => Promise<T>): Promise<T> {
  const result = await work(transaction.store);
  await transaction.commit();
  return result;
}

/** One unit of work with its limits. It runs as often as its locks require. */
class TransactionAttempt<T> {
  readonly owner: WorkOwner;
  private readonly transactionOptions: TransactionOptions;
  private readonly loss: AbortSignal;

  constructor(
    private readonly work: TransactionWork<T>,
    readonly options: UnitOfWorkOptions,
    deadlines: Deadlines,
    private readonly losing: AbortController,
    /** Aborts with an Error when waiting is pointless. */
    readonly waiting: AbortSignal,
  ) {
    const { customerId, lockWaitMs, isolation, readOnly } = options;
    this.loss = losing.signal;
    this.owner = { customerId, kind: deadlines === 'request' ? 'short' : 'long' };
    this.transactionOptions = { deadlines, isolation, readOnly, shortLocks: lockWaitMs !== undefined };
  }

  /**
   * Waits for the turn or the connection of an attempt.
   *
   * @param wait waits, and returns a function that releases
   * @returns a function that releases the turn or the connection. The loss of the database releases it too, even
   *   while the work still runs
   */
  async admit(wait: (signal: AbortSignal) => Promise<() => void>): Promise<() => void> {
    const release = await wait(this.waiting);
    if (this.loss.aborted) release();
    this.loss.throwIfAborted();
    this.loss.addEventListener('abort', release, { once: true });
    return () => {
      // A retried work is admitted for each attempt.
      this.loss.removeEventListener('abort', release);
      release();
    };
  }

  /** Runs the work in a transaction of its own. */
  async run(dataSource: DataSource): Promise<T> {
    const endLimit = this.limitAttempt();
    try {
      return await this.transact(dataSource);
    } finally {
      endLimit();
    }
  }

  /** A retried request has a time limit for each attempt. Its waits have limits of their own. */
  private limitAttempt(): () => void {
    const { deadlines, shortLocks } = this.transactionOptions;
    if (deadlines !== 'request' || !shortLocks) return () => undefined;
    const timer = setTimeout(
      () => this.losing.abort(new DatabaseUnavailable(`The database took more than ${REQUEST_LIMIT_MS} ms`)),
      REQUEST_LIMIT_MS,
    );
    return () => clearTimeout(timer);
  }

  private async transact(dataSource: DataSource): Promise<T> {
    const transaction = await Transaction.begin(dataSource, this.loss, this.transactionOptions);
    try {
      return await this.work(transaction);
    } catch (error) {
      await transaction.rollBack();
      throw transaction.translate(error);
    } finally {
      await transaction.release();
    }
  }
}

/** Whether each statement has a list of rows. The author of the SQL is responsible for the columns. */
function hasResultForEach<Rows extends readonly object[]>(
  results: readonly unknown[],
  statements: number,
): results is RowsOfEach<Rows> {
  return results.length === statements && results.every((rows) => Array.isArray(rows));
}
