import { Injectable } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { Admission, type WorkOwner } from '../../runtime/fairness/admission';
import { POOL_SIZE } from '../schema/data-source';
import { DatabaseProbe } from '../connection/database-probe';
import { CustomerDeleted } from './customer-deleted';
import { DatabaseUnavailable, isLockFailure, mayMeanDeletion } from '../connection/database-errors';
import { REQUEST_LIMIT_MS } from '../connection/limits';
import { type Patience, startWatch, type DatabaseWatch } from '../connection/patience';
import type { Store } from './store';
import type { TransactionOptions } from '../connection/transaction-opening';
import { Transaction } from './transaction';

export { DatabaseUnavailable } from '../connection/database-errors';
export type { Patience } from '../connection/patience';
export type { Store } from './store';

/** How a unit of work runs. By default: a request's patience, READ COMMITTED, reading and writing, the service's own. */
export interface UnitOfWorkOptions {
  /** How long the database may take, see {@link Patience}. */
  readonly patience?: Patience;
  readonly isolation?: 'READ COMMITTED' | 'REPEATABLE READ';
  readonly readOnly?: boolean;
  /** Whose work it is. Each customer has a bounded share of the connections, and waits for its turn before it takes one. */
  readonly customerId?: string;
  /** Works of one customer and one queue follow one another, in order of arrival, before any takes a connection. */
  readonly queue?: string;
  /**
   * Milliseconds that the work may be begun again when a lock is not given. No attempt waits long for a lock: it rolls
   * back, gives its connection back, and comes again. The work must therefore do nothing but talk to its store.
   */
  readonly lockPatienceMs?: number;
  /** Ends the wait for a connection when it aborts, as when a client is gone. Work that has begun is not touched. */
  readonly signal?: AbortSignal;
}

/** A statement with its parameters; it has at least one. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Between two attempts at a lock, in milliseconds; a random part keeps those who wait from meeting again. */
const LOCK_PAUSE_MS = { least: 10, most: 50 } as const;

/** The rows of each of some statements. */
export type RowsOfEach<Rows extends readonly object[]> = {
  readonly [Place in keyof Rows]: readonly Rows[Place][];
};

/**
 * The way to the database. Services use it alone: a repository or data source injected as such knows no time limit and
 * waits for a frozen database as long as that stays frozen.
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

  /** Works that wait for their turn or for a connection. */
  get waiting(): number {
    return this.admission.waiting;
  }

  /**
   * Runs the work in one transaction and commits. The work must not start another unit of work and wait for it: with
   * the pool in use to the last connection each would wait for the other.
   *
   * @throws whatever the work throws, after rolling back. Errors of the driver rise as they are (constraints, locks,
   *   deadlocks; only `lockPatienceMs` begins work again), except those that mean that the database failed
   * @throws CustomerDeleted instead of the driver's error where the customer that the work is for was deleted meanwhile
   * @throws StillBusy when the works before it in its queue do not end within its patience for locks
   * @throws Overloaded when too much other work waits for a connection, or does for too long
   * @throws DatabaseUnavailable within 4 s when the database is stopped or does not answer. The connection is destroyed
   *   then, and the transaction with it, unless its commit was already under way. Work that still runs can do no more
   *   harm: its store refuses
   */
  async run<T>(work: (store: Store) => Promise<T>, options: UnitOfWorkOptions = {}): Promise<T> {
    return this.runAttempts((transaction) => runAndCommit(transaction, work), options);
  }

  /**
   * Runs one statement that only reads, in a transaction of its own and in one round trip. What it sees is one moment.
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
        // Together, so that they go together.
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
   * Runs statements, none of which needs the rows of another, in a transaction of their own and in one round trip. Each
   * sees what those before it have written.
   *
   * @returns the rows of each, in order
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

  /** Asked for rather than read out of the error: a cluster does not name the constraint, and not all lead to the customer. */
  private async exists(customerId: string): Promise<boolean> {
    const found = await this.read('select 1 from customers where id = $1', [customerId]);
    return found.length > 0;
  }

  private async runWatched<T>(work: TransactionWork<T>, options: UnitOfWorkOptions): Promise<T> {
    const patience = options.patience ?? 'request';
    const loss = new AbortController();
    // What may wait for locks is watched from the start, and its time is counted for each attempt (see Attempt.make).
    const watched = options.lockPatienceMs === undefined ? patience : 'bulk';
    const watch = startWatch(watched, this.probe, (reason) => loss.abort(new DatabaseUnavailable(reason)));
    const lost = new Promise<never>((_resolve, reject) => {
      loss.signal.addEventListener('abort', () => reject(loss.signal.reason as DatabaseUnavailable));
    });
    const attempt = new TransactionAttempt(work, options, patience, watch, loss);
    try {
      return await Promise.race([this.runInQueue(attempt), lost]);
    } finally {
      watch.stop();
    }
  }

  private async runInQueue<T>(attempt: TransactionAttempt<T>): Promise<T> {
    const { queue, lockPatienceMs } = attempt.options;
    if (queue === undefined) return this.retryOnLockFailure(attempt);
    const endTurn = await attempt.admit((signal) =>
      this.admission.waitForTurn(attempt.owner, queue, signal, lockPatienceMs),
    );
    try {
      return await this.retryOnLockFailure(attempt);
    } finally {
      endTurn();
    }
  }

  /** Begins the work again until its locks are given or the patience for them is over. */
  private async retryOnLockFailure<T>(attempt: TransactionAttempt<T>): Promise<T> {
    const until = performance.now() + (attempt.options.lockPatienceMs ?? 0);
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

/** Does a work in a transaction, and commits it. */
type TransactionWork<T> = (transaction: Transaction) => Promise<T>;

async function runAndCommit<T>(transaction: Transaction, work: (store: Store) => Promise<T>): Promise<T> {
  const result = await work(transaction.store);
  await transaction.commit();
  return result;
}

/** One work with all that governs it; made as often as its locks demand. */
class TransactionAttempt<T> {
  readonly owner: WorkOwner;
  /** Aborts with an Error when there is no more point in waiting. */
  readonly waiting: AbortSignal;
  private readonly transactionOptions: TransactionOptions;
  private readonly loss: AbortSignal;

  constructor(
    private readonly work: TransactionWork<T>,
    readonly options: UnitOfWorkOptions,
    patience: Patience,
    private readonly watch: DatabaseWatch,
    private readonly losing: AbortController,
  ) {
    const { customerId, signal, lockPatienceMs, isolation, readOnly } = options;
    const loss = (this.loss = losing.signal);
    this.owner = { customerId, kind: patience === 'request' ? 'short' : 'long' };
    this.waiting = signal === undefined ? loss : AbortSignal.any([loss, signal]);
    this.transactionOptions = { patience, isolation, readOnly, shortLocks: lockPatienceMs !== undefined };
  }

  /** @returns gives back the turn or place; the loss of the database gives it back too, even while the work still runs */
  async admit(wait: (signal: AbortSignal) => Promise<() => void>): Promise<() => void> {
    const release = await this.watch.during(() => wait(this.waiting));
    if (this.loss.aborted) release();
    this.loss.throwIfAborted();
    this.loss.addEventListener('abort', release, { once: true });
    return () => {
      // A work that is begun again hundreds of times is admitted as often.
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

  /** A request's work that may be begun again has its time for each attempt; its waits have limits of their own. */
  private limitAttempt(): () => void {
    const { patience, shortLocks } = this.transactionOptions;
    if (patience !== 'request' || !shortLocks) return () => undefined;
    const timer = setTimeout(
      () => this.losing.abort(new DatabaseUnavailable(`The database took more than ${REQUEST_LIMIT_MS} ms`)),
      REQUEST_LIMIT_MS,
    );
    return () => clearTimeout(timer);
  }

  private async transact(dataSource: DataSource): Promise<T> {
    const transaction = await this.watch.during(() =>
      Transaction.begin(dataSource, this.watch, this.loss, this.transactionOptions),
    );
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

/** Whether there is a list of rows for each statement. Which columns they have only the author of the SQL knows. */
function hasResultForEach<Rows extends readonly object[]>(
  results: readonly unknown[],
  statements: number,
): results is RowsOfEach<Rows> {
  return results.length === statements && results.every((rows) => Array.isArray(rows));
}
