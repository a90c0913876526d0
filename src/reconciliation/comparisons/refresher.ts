import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { lockCustomer } from '../../database/transaction/customer-lock';
import type { CustomerTransaction } from '../../database/transaction/customer-transaction';
import { UnitOfWork, type Store, type UnitOfWorkOptions } from '../../database/transaction/unit-of-work';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import { Metrics, type RefreshOutcome } from '../../runtime/metrics/metrics';
import { databaseTime } from '../../records/changes';
import { settledTime } from '../../records/settled-time';
import { converterInto } from '../statement/conversion';
import { StatementTimes } from '../statement/statement-times';
import {
  comparedNow,
  withTimes,
  type ComparedNow,
  type ComparedResult,
  type PresentRows,
} from './compared-rows';
import { followed, isDue, takeDue } from './due.repository';
import { markStale } from './marking';
import { readFormer, readObjects, type ObjectPage } from './page';
import { saveCompared, type Replaced } from './save';
import {
  beginWalk,
  followUntil,
  holdLease,
  isUpToDate,
  LeaseLost,
  leaveLease,
  progressOf,
  staleObjects,
  takeLease,
  walkedTo,
  type Lease,
} from './state';
import { currencyOfCases, comparisonContext, type ComparisonContext } from './comparison-context';

type ComparablePage = ObjectPage & { readonly surroundings: ComparisonContext };

/** The next objects of a walk. */
interface WalkedPage {
  readonly page: ComparablePage;
  /** The last of them; undefined at the end of the walk. */
  readonly until: string | undefined;
}

/** The progress of a refresh. */
interface Work {
  objects: number;
  /** Whether all objects are compared, not only those that changes have touched. */
  everything: boolean;
}

/**
 * Updates the stored comparisons: marks the objects that changes have touched, and compares those anew, page by page.
 * Reads and writes are short transactions. Between them only a lease is held, and nothing is written without it. One
 * instance at a time therefore works for a customer, and if it dies, another one continues its work.
 */
@Injectable()
export class ComparisonRefresher implements BeforeApplicationShutdown {
  private readonly underWay = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLoop: EventLoopScheduler,
    private readonly times: StatementTimes,
    private readonly metrics: Metrics,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'defaultCurrency'>,
  ) {}

  /**
   * Refreshes until all changes are included that were committed before the call. Concurrent callers share the refresh.
   * It continues if no caller waits any more.
   *
   * @throws what the database throws; StillBusy or a lock's error if concurrent changes do not let go of the lock
   */
  refresh(customerId: string): Promise<void> {
    return this.once(customerId, (lease) => this.awaitLease(lease));
  }

  /** Like {@link refresh}, if the customer is due and no instance processes it; otherwise does nothing. */
  async refreshIfDue(customerId: string): Promise<void> {
    if (this.underWay.has(customerId)) return;
    await this.once(customerId, (lease) =>
      this.write(
        customerId,
        async (store) =>
          (await isDue(store.forCustomer(customerId))) &&
          takeLease(store.forCustomer(lease.customerId), lease),
      ),
    );
  }

  /** Number of customers that this instance is refreshing. */
  get working(): number {
    return this.underWay.size;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort(new Error('The service stops'));
    await Promise.allSettled(this.underWay.values());
  }

  private once(customerId: string, take: (lease: Lease) => Promise<boolean>): Promise<void> {
    const known = this.underWay.get(customerId);
    if (known !== undefined) return known;
    const work = this.work(customerId, take).finally(() => this.underWay.delete(customerId));
    this.underWay.set(customerId, work);
    return work;
  }

  private async work(customerId: string, take: (lease: Lease) => Promise<boolean>): Promise<void> {
    const lease: Lease = { customerId, owner: randomUUID(), length: this.times.lease };
    if (!(await take(lease))) return;
    const work: Work = { objects: 0, everything: false };
    const begun = performance.now();
    let outcome: RefreshOutcome = 'failed';
    try {
      await this.mark(lease);
      await this.walk(lease, work);
      await this.compareStale(lease, work);
      outcome = 'done';
    } catch (error) {
      // Another instance has taken over and does the rest.
      if (!(error instanceof LeaseLost)) throw error;
      outcome = 'taken_over';
    } finally {
      this.metrics.observeRefresh(work, outcome, (performance.now() - begun) / 1_000);
      await this.write(customerId, (store) => {
        if (outcome === 'done') followed(store.forCustomer(lease.customerId), lease);
        return leaveLease(store.forCustomer(lease.customerId), lease);
      });
    }
  }

  /** Waits for the lease; false if another instance has done all the work meanwhile. */
  private async awaitLease(lease: Lease): Promise<boolean> {
    const { customerId } = lease;
    while (
      !(await this.write(customerId, (store) => takeLease(store.forCustomer(lease.customerId), lease)))
    ) {
      if (await this.isUpToDate(customerId)) return false;
      await sleep(this.times.look, undefined, { signal: this.stopping.signal, ref: false });
    }
    return true;
  }

  private isUpToDate(customerId: string): Promise<boolean> {
    return this.read(customerId, async (store) => {
      const { fingerprint } = await comparisonContext(store.forCustomer(customerId));
      return isUpToDate(await progressOf(store.forCustomer(customerId)), fingerprint);
    });
  }

  /** Marks what changed, up to a moment between two changes, by which all earlier changes have been committed. */
  private async mark(lease: Lease): Promise<void> {
    const { customerId } = lease;
    const until = await this.write(
      customerId,
      async (store) => {
        await lockCustomer(store.forCustomer(customerId), 'exclusive');
        // Changes of terms do not take that lock.
        const [until, now] = await Promise.all([
          settledTime(store.forCustomer(customerId)),
          databaseTime(store),
        ]);
        takeDue(store.forCustomer(lease.customerId), lease, { now, until });
        return until;
      },
      { lockPatienceMs: this.times.lock },
    );
    await this.write(customerId, async (store) => {
      await holdLease(store.forCustomer(lease.customerId), lease);
      const { fingerprint } = await comparisonContext(store.forCustomer(customerId));
      const progress = await progressOf(store.forCustomer(customerId));
      if (progress?.fingerprint !== fingerprint)
        return beginWalk(store.forCustomer(lease.customerId), until, fingerprint);
      if (!progress.changed) return;
      await markStale(store, [customerId, progress.changedUntil, until]);
      await followUntil(store.forCustomer(lease.customerId), until);
    });
  }

  /** Compares all objects, if a walk is in progress. The next page is read while one is compared and stored. */
  private async walk(lease: Lease, work: Work): Promise<void> {
    const { customerId } = lease;
    const begin = await this.read(customerId, (store) => progressOf(store.forCustomer(customerId)));
    let after = begin?.walked ?? null;
    if (after === null) return;
    work.everything = true;
    let ahead: Promise<WalkedPage> | undefined = this.pageBehind(customerId, after);
    while (ahead !== undefined) {
      const { page, until }: WalkedPage = await ahead;
      this.stopping.signal.throwIfAborted();
      const replaced = { after, until };
      const saved = this.save(lease, replaced, page, work, (store) =>
        walkedTo(store.forCustomer(lease.customerId), until ?? null),
      );
      ahead = until === undefined ? undefined : this.pageBehind(customerId, until);
      // Both are awaited, even if one fails.
      const [outcome] = await Promise.allSettled([saved, ahead]);
      if (outcome.status === 'rejected') throw outcome.reason;
      after = until ?? after;
    }
  }

  private pageBehind(customerId: string, after: string): Promise<WalkedPage> {
    return this.read(customerId, async (store) => {
      const ids = await idsBehind(store.forCustomer(customerId), after, this.times.page);
      const page = await this.pageOf(store.forCustomer(customerId), ids);
      const isLast = ids.length < this.times.page && page.ids.length === ids.length;
      return { page, until: isLast ? undefined : page.ids.at(-1) };
    });
  }

  /** Compares the objects that are marked. */
  private async compareStale(lease: Lease, work: Work): Promise<void> {
    const { customerId } = lease;
    for (;;) {
      this.stopping.signal.throwIfAborted();
      const page = await this.read(customerId, async (store) => {
        const ids = await staleObjects(store.forCustomer(customerId), this.times.page);
        return ids.length === 0 ? undefined : this.pageOf(store.forCustomer(customerId), ids);
      });
      if (page === undefined) return;
      await this.save(lease, { ids: page.ids }, page, work, async (store) => {
        await store.query('delete from stale_comparisons where customer_id = $1 and object_id = any ($2)', [
          customerId,
          page.ids,
        ]);
      });
    }
  }

  private async save(
    lease: Lease,
    replaced: Replaced,
    page: ComparablePage,
    work: Work,
    note: (store: Store) => Promise<void>,
  ): Promise<void> {
    const { customerId } = lease;
    const results = await this.compare(customerId, page);
    await this.write(customerId, async (store) => {
      await holdLease(store.forCustomer(lease.customerId), lease);
      await Promise.all([saveCompared(store.forCustomer(customerId), replaced, results), note(store)]);
    });
    work.objects += results.length;
  }

  /** Objects and the terms of their comparison, in one snapshot. */
  private async pageOf(tx: CustomerTransaction, ids: readonly string[]): Promise<ComparablePage> {
    const [context, page] = await Promise.all([comparisonContext(tx), readObjects(tx, ids)]);
    return { ...page, surroundings: context };
  }

  /** Compares a page of objects in several turns of the event loop, without holding a connection. */
  private async compare(customerId: string, page: ComparablePage): Promise<readonly ComparedResult[]> {
    const { terms, currencies } = page.surroundings;
    const convert = converterInto(currencyOfCases(currencies, this.environment.defaultCurrency), terms.rates);
    const compared: { readonly rows: PresentRows; readonly now: ComparedNow }[] = [];
    for (const rows of page.objects) {
      await this.eventLoop.waitToContinue(customerId);
      const candidates = page.candidates.get(rows[0].canonical_id) ?? [];
      compared.push({ rows, now: comparedNow(rows, candidates, terms, convert) });
    }
    const open = compared.filter(({ now }) => now.open).map(({ now }) => now.object.id);
    const former = await this.read(customerId, (store) => readFormer(store.forCustomer(customerId), open));
    const results: ComparedResult[] = [];
    for (const { rows, now } of compared) {
      await this.eventLoop.waitToContinue(customerId);
      results.push(withTimes(now, rows, former.get(now.object.id) ?? [], terms, convert));
    }
    return results;
  }

  private read<T>(customerId: string, work: (store: Store) => Promise<T>): Promise<T> {
    const options: UnitOfWorkOptions = {
      customerId,
      patience: 'bulk',
      isolation: 'REPEATABLE READ',
      readOnly: true,
    };
    return this.unitOfWork.run(work, options);
  }

  /**
   * Comparisons are derived from the records. If the server crashes, it loses the last comparisons together with the
   * record of their progress. Writes therefore need not wait for the disk.
   */
  private write<T>(
    customerId: string,
    work: (store: Store) => Promise<T>,
    options: Pick<UnitOfWorkOptions, 'lockPatienceMs'> = {},
  ): Promise<T> {
    return this.unitOfWork.runFor(
      customerId,
      (tx) => {
        tx.store.queryLater('set local synchronous_commit = off', []);
        return work(tx.store);
      },
      { ...options, patience: 'bulk' },
    );
  }
}

const objectIds = 'select id from canonical_objects where customer_id = $1 and id > $2 order by id limit $3';

async function idsBehind(tx: CustomerTransaction, after: string, limit: number): Promise<readonly string[]> {
  const rows = await tx.query<{ id: string }>(objectIds, [after, limit]);
  return rows.map(({ id }) => id);
}
