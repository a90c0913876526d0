import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { POOL_SIZE } from './data-source';
import { DatabaseProbe } from './database-probe';
import { DatabaseUnavailable } from './database-errors';
import { type Patience, startWatch, type Watch } from './patience';
import { Slots } from './slots';
import type { Store } from './store';
import { Transaction, type TransactionOptions } from './transaction';

export { DatabaseUnavailable } from './database-errors';
export type { Patience } from './patience';
export type { Store } from './store';

/** How a unit of work runs. Unless told otherwise: a request's patience, READ COMMITTED, reading and writing. */
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
}

/**
 * The way to the database. Services use it alone: a repository or data source injected as such knows no time limit and
 * waits for a frozen database as long as that stays frozen.
 */
@Injectable()
export class UnitOfWork {
  private readonly longWork: Slots;

  constructor(
    private readonly dataSource: DataSource,
    private readonly probe: DatabaseProbe,
  ) {
    // A third of the connections stays for requests, however many loads and slow readers there are.
    this.longWork = new Slots(Math.max(1, Math.floor(((dataSource.options.poolSize ?? POOL_SIZE) * 2) / 3)));
  }

  /**
   * Runs the work in one transaction and commits. The work must not start another unit of work and wait for it: with
   * the pool in use to the last connection each would wait for the other.
   *
   * @throws whatever the work throws, after rolling back. Errors of the driver rise as they are (constraints, locks,
   *   deadlocks: nothing is retried), except those that mean that the database failed
   * @throws DatabaseUnavailable within 4 s when the database is stopped, does not answer, or has no connection free.
   *   The connection is destroyed then, and the transaction with it, unless its commit was already under way. Work
   *   that still runs can do no more harm: its store refuses
   */
  async run<T>(work: (store: Store) => Promise<T>, options: UnitOfWorkOptions = {}): Promise<T> {
    const patience = options.patience ?? 'request';
    const loss = new AbortController();
    const watch = startWatch(patience, this.probe, (reason) => loss.abort(new DatabaseUnavailable(reason)));
    const lost = new Promise<never>((_resolve, reject) => {
      loss.signal.addEventListener('abort', () => reject(loss.signal.reason as DatabaseUnavailable));
    });
    try {
      return await Promise.race([this.transact(work, { ...options, patience }, watch, loss.signal), lost]);
    } finally {
      watch.stop();
    }
  }

  private async transact<T>(
    work: (store: Store) => Promise<T>,
    options: TransactionOptions,
    watch: Watch,
    loss: AbortSignal,
  ): Promise<T> {
    let leaveSlot = (): void => undefined;
    const transaction = await watch.during(async () => {
      if (options.patience !== 'request') leaveSlot = await this.longWork.take(loss);
      return Transaction.begin(this.dataSource, watch, loss, options).catch((error: unknown) => {
        leaveSlot();
        throw error;
      });
    });
    try {
      const result = await work(transaction.store);
      await transaction.commit();
      return result;
    } catch (error) {
      await transaction.rollBack();
      throw transaction.translate(error);
    } finally {
      await transaction.leave();
      leaveSlot();
    }
  }
}
