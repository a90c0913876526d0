import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { lockCustomer } from '../../database/transaction/customer-lock';
import type { CustomerTransaction } from '../../database/transaction/store';
import { UnitOfWork, type UnitOfWorkOptions } from '../../database/transaction/unit-of-work';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import { Metrics, type RefreshOutcome } from '../../runtime/metrics/metrics';
import { workAttributes } from '../../runtime/tracing/logged-work';
import { Spans } from '../../runtime/tracing/spans';
import { databaseTime } from '../../database/transaction/database-time';
import { settledTime } from '../../records/changes/settled-time.repository';
import { converterInto } from '../statement/figures/conversion';
import { StatementTimes } from '../statement/freshness/statement-times';
import {
  comparedNow,
  withTimes,
  type ComparedNow,
  type ComparedResult,
  type PresentRows,
} from './compared-rows';
import { followed, isDue, takeDue } from '../../records/changes/due-comparisons.repository';
import { markStale, staleObjects, unmarkStale } from './stale-comparisons.repository';
import { readFormer, readObjects, type ObjectPage, idsBehind } from './compared-objects.repository';
import { recount, removeEmptyCounts } from './case-counts.repository';
import { saveCases } from './case-rows.repository';
import { noteCaseEvents } from './case-events.repository';
import { forgetMarks, markFinished } from './past/comparison-marks.repository';
import { savePairs } from './comparisons.repository';
import { endOutdated } from '../reviews/outdated-reviews';
import type { Replaced } from './replaced-rows';
import {
  beginWalk,
  followUntil,
  holdLease,
  isUpToDate,
  LeaseLost,
  leaveLease,
  progressOf,
  takeLease,
  walkedTo,
  type Lease,
} from './comparison-states.repository';
import { currencyOfCases, comparisonContext, type ComparisonContext } from './comparison-context.repository';

type ComparablePage = ObjectPage & { readonly context: ComparisonContext };

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
    private readonly spans: Spans,
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
      this.write(customerId, async (tx) => (await isDue(tx)) && takeLease(tx, lease)),
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
    // Several requests may share a refresh, so it begins a trace.
    const attributes = workAttributes({ customerId });
    const start = { name: 'comparison refresh', kind: 'internal', attributes } as const;
    await this.spans.around(start, undefined, async (span) => {
      const { objects, everything, outcome } = await this.compareAll(lease);
      span.set({
        'translation.objects': objects,
        'translation.everything': everything,
        'translation.outcome': outcome,
      });
    });
  }

  private async compareAll(lease: Lease): Promise<Work & { readonly outcome: RefreshOutcome }> {
    const { customerId } = lease;
    const work: Work = { objects: 0, everything: false };
    const begun = performance.now();
    let outcome: RefreshOutcome = 'failed';
    try {
      await this.mark(lease);
      await this.walk(lease, work);
      await this.compareStale(lease, work);
      await this.finish(lease);
      outcome = 'done';
    } catch (error) {
      // Another instance has taken over and does the rest.
      if (!(error instanceof LeaseLost)) throw error;
      outcome = 'taken_over';
    } finally {
      this.metrics.observeRefresh(work, outcome, (performance.now() - begun) / 1_000);
      await this.write(customerId, async (tx) => {
        if (outcome === 'done') await followed(tx, lease);
        await leaveLease(tx, lease);
      });
    }
    return { ...work, outcome };
  }

  /** Waits for the lease; false if another instance has done all the work meanwhile. */
  private async awaitLease(lease: Lease): Promise<boolean> {
    const { customerId } = lease;
    while (!(await this.write(customerId, (tx) => takeLease(tx, lease)))) {
      if (await this.isUpToDate(customerId)) return false;
      await sleep(this.times.look, undefined, { signal: this.stopping.signal, ref: false });
    }
    return true;
  }

  private isUpToDate(customerId: string): Promise<boolean> {
    return this.read(customerId, async (tx) => {
      const { fingerprint } = await comparisonContext(tx);
      return isUpToDate(await progressOf(tx), fingerprint);
    });
  }

  /** Marks what changed, up to a moment between two changes, by which all earlier changes have been committed. */
  private async mark(lease: Lease): Promise<void> {
    const { customerId } = lease;
    const until = await this.write(
      customerId,
      async (tx) => {
        await lockCustomer(tx, 'exclusive');
        // Changes of terms do not take that lock.
        const [until, now] = await Promise.all([settledTime(tx), databaseTime(tx.store)]);
        takeDue(tx, lease, { now, until });
        return until;
      },
      { lockWaitMs: this.times.lock },
    );
    await this.write(customerId, async (tx) => {
      await holdLease(tx, lease);
      const { fingerprint } = await comparisonContext(tx);
      const progress = await progressOf(tx);
      if (progress?.counted !== true) await recount(tx);
      if (progress?.fingerprint !== fingerprint) {
        await beginWalk(tx, until, fingerprint);
        await forgetMarks(tx, progress?.fingerprint === '');
        return;
      }
      if (!progress.changed) return;
      await markStale(tx, [progress.changedUntil, until]);
      await followUntil(tx, until);
    });
  }

  /** Compares all objects, if a walk is in progress. The next page is read while one is compared and stored. */
  private async walk(lease: Lease, work: Work): Promise<void> {
    const { customerId } = lease;
    const begin = await this.read(customerId, (tx) => progressOf(tx));
    let after = begin?.walked ?? null;
    if (after === null) return;
    work.everything = true;
    let ahead: Promise<WalkedPage> | undefined = this.pageBehind(customerId, after);
    while (ahead !== undefined) {
      const { page, until }: WalkedPage = await ahead;
      this.stopping.signal.throwIfAborted();
      const replaced = { after, until };
      const saved = this.save(lease, replaced, page, work, (tx) => walkedTo(tx, until ?? null));
      ahead = until === undefined ? undefined : this.pageBehind(customerId, until);
      // Both are awaited, even if one fails.
      const [outcome] = await Promise.allSettled([saved, ahead]);
      if (outcome.status === 'rejected') throw outcome.reason;
      after = until ?? after;
    }
  }

  private pageBehind(customerId: string, after: string): Promise<WalkedPage> {
    return this.read(customerId, async (tx) => {
      const ids = await idsBehind(tx, after, this.times.page);
      const page = await this.pageOf(tx, ids);
      const isLast = ids.length < this.times.page && page.ids.length === ids.length;
      return { page, until: isLast ? undefined : page.ids.at(-1) };
    });
  }

  /** Compares the objects that are marked. */
  private async compareStale(lease: Lease, work: Work): Promise<void> {
    const { customerId } = lease;
    for (;;) {
      this.stopping.signal.throwIfAborted();
      const page = await this.read(customerId, async (tx) => {
        const ids = await staleObjects(tx, this.times.page);
        return ids.length === 0 ? undefined : this.pageOf(tx, ids);
      });
      if (page === undefined) return;
      await this.save(lease, { ids: page.ids }, page, work, (tx) => unmarkStale(tx, page.ids));
    }
  }

  /** The comparisons now show the records at the mark. While terms have changed meanwhile, they show no single moment. */
  private finish(lease: Lease): Promise<void> {
    return this.write(lease.customerId, async (tx) => {
      await holdLease(tx, lease);
      await removeEmptyCounts(tx);
      await endOutdated(tx);
      if (await markFinished(tx, await comparisonContext(tx))) noteCaseEvents(tx);
    });
  }

  private async save(
    lease: Lease,
    replaced: Replaced,
    page: ComparablePage,
    work: Work,
    note: (tx: CustomerTransaction) => Promise<void>,
  ): Promise<void> {
    const { customerId } = lease;
    const results = await this.compare(customerId, page);
    await this.write(customerId, async (tx) => {
      await holdLease(tx, lease);
      await Promise.all([savePairs(tx, replaced, results), saveCases(tx, replaced, results), note(tx)]);
    });
    work.objects += results.length;
  }

  /** Objects and the terms of their comparison, in one snapshot. */
  private async pageOf(tx: CustomerTransaction, ids: readonly string[]): Promise<ComparablePage> {
    const [context, page] = await Promise.all([comparisonContext(tx), readObjects(tx, ids)]);
    return { ...page, context };
  }

  /** Compares a page of objects in several turns of the event loop, without holding a connection. */
  private async compare(customerId: string, page: ComparablePage): Promise<readonly ComparedResult[]> {
    const { terms, currencies } = page.context;
    const convert = converterInto(currencyOfCases(currencies, this.environment.defaultCurrency), terms.rates);
    const compared: { readonly rows: PresentRows; readonly now: ComparedNow }[] = [];
    for (const rows of page.objects) {
      await this.eventLoop.waitToContinue(customerId);
      const candidates = page.candidates.get(rows[0].canonical_id) ?? [];
      compared.push({ rows, now: comparedNow(rows, candidates, terms, convert) });
    }
    const open = compared.filter(({ now }) => now.open).map(({ now }) => now.object.id);
    const former = await this.read(customerId, (tx) => readFormer(tx, open));
    const results: ComparedResult[] = [];
    for (const { rows, now } of compared) {
      await this.eventLoop.waitToContinue(customerId);
      results.push(withTimes(now, rows, former.get(now.object.id) ?? [], terms, convert));
    }
    return results;
  }

  private read<T>(customerId: string, work: (tx: CustomerTransaction) => Promise<T>): Promise<T> {
    return this.unitOfWork.runFor(customerId, work, {
      deadlines: 'bulk',
      isolation: 'REPEATABLE READ',
      readOnly: true,
    });
  }

  /**
   * Comparisons are derived from the records. If the server crashes, it loses the last comparisons together with the
   * record of their progress. Writes therefore need not wait for the disk.
   */
  private write<T>(
    customerId: string,
    work: (tx: CustomerTransaction) => Promise<T>,
    options: Pick<UnitOfWorkOptions, 'lockWaitMs'> = {},
  ): Promise<T> {
    return this.unitOfWork.runFor(
      customerId,
      (tx) => {
        tx.store.commitWithoutFlush();
        return work(tx);
      },
      { ...options, deadlines: 'bulk' },
    );
  }
}
