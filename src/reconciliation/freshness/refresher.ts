import { groupBy } from '@app/mapper';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { lockCustomer } from '../../database/transaction/customer-lock';
import type { CustomerTransaction } from '../../database/transaction/store';
import { LONG_SNAPSHOT, UnitOfWork, type UnitOfWorkOptions } from '../../database/transaction/unit-of-work';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import { Metrics, type RefreshOutcome } from '../../runtime/metrics/metrics';
import { workAttributes } from '../../runtime/tracing/logged-work';
import { Spans } from '../../runtime/tracing/spans';
import { databaseTime } from '../../database/transaction/database-time';
import { settledTime } from '../../records/history/settled-time.repository';
import { StatementTimes } from './statement-times';
import { comparedNow, DatedObject } from '../comparisons/compared-rows';
import { PassedVersions } from '../comparisons/passed-versions';
import { deleteTaken, isDue, takeDue } from '../../records/changes/due-comparisons.repository';
import { markStale, staleObjects, unmarkStale } from '../comparisons/stored/stale-comparisons.repository';
import {
  FURTHER_AT_ONCE,
  idsBehind,
  idsWithFormer,
  noFormer,
  readFormer,
  readObjects,
  type FormerPlace,
  type FormerStep,
  type ObjectPage,
} from '../comparisons/stored/compared-objects.repository';
import { recount, removeEmptyCounts } from '../comparisons/stored/case-counts.repository';
import {
  NewCases,
  saveCases,
  storedCases,
  type StoredCase,
} from '../comparisons/stored/case-rows.repository';
import { noteCaseEvents } from '../comparisons/stored/case-events.repository';
import { forgetMarks, markFinished } from '../comparisons/stored/comparison-marks.repository';
import {
  NewPairs,
  savePairs,
  storedPairs,
  type StoredPair,
} from '../comparisons/stored/comparisons.repository';
import type { ChangedCase } from '../annotations/case-reviews.repository';
import { endOutdated } from '../annotations/outdated-reviews';
import { unseenCases } from '../comparisons/stored/unseen-values.repository';
import type { PageOfRows, Replaced } from '../comparisons/stored/replaced-rows';
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
} from '../comparisons/stored/comparison-states.repository';
import {
  caseConverter,
  comparisonContext,
  type ComparisonContext,
} from '../comparisons/stored/comparison-context.repository';

/** Objects, and all that comparing and storing them needs. */
interface ComparablePage extends ObjectPage {
  readonly context: ComparisonContext;
  /** Objects that have former versions. */
  readonly withFormer: ReadonlySet<string>;
  readonly storedPairs: readonly StoredPair[];
  readonly storedCases: readonly StoredCase[];
}

/** The rows of a page that take the place of the stored ones. */
interface NewRows {
  readonly objects: number;
  readonly pairs: NewPairs;
  readonly cases: NewCases;
}

/** An object that takes former versions of its records, step by step. */
interface SteppedObject {
  readonly id: string;
  /** The versions that it takes next; undefined if it needs no more. */
  readonly next: FormerPlace | undefined;
  goBack(step: FormerStep): void;
}

/** The next objects of a walk. */
interface WalkedPage {
  readonly page: ComparablePage;
  /** The last of them; undefined at the end of the walk. */
  readonly until: string | undefined;
}

/** A refresh whose changes are marked. */
interface BegunRefresh {
  readonly lease: Lease;
  /**
   * The ID of the last object that a comparison of all objects has passed; null if only the marked objects are
   * compared.
   */
  readonly walked: string | null;
  /**
   * The values that all rows of the refresh share. If the rows are not counted as they are written, the refresh counts
   * them at its end.
   */
  readonly rows: PageOfRows;
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
    const since = performance.now();
    let outcome: RefreshOutcome = 'failed';
    try {
      const begun = await this.mark(lease);
      await this.walk(begun, work);
      await this.compareStale(begun, work);
      await this.finish(begun, await this.changedMeanwhile(begun));
      outcome = 'done';
    } catch (error) {
      // Another instance has taken over and does the rest.
      if (!(error instanceof LeaseLost)) throw error;
      outcome = 'taken_over';
    } finally {
      this.metrics.observeRefresh(work, outcome, (performance.now() - since) / 1_000);
      await this.write(customerId, async (tx) => {
        if (outcome === 'done') await deleteTaken(tx, lease);
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
      await sleep(this.times.poll, undefined, { signal: this.stopping.signal, ref: false });
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
  private async mark(lease: Lease): Promise<BegunRefresh> {
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
    return this.write(customerId, async (tx) => {
      await holdLease(tx, lease);
      await this.follow(tx, until);
      const progress = await progressOf(tx);
      if (progress === undefined) throw new Error('The lease is a part of the state');
      const { changedUntil: mark, counted, walked } = progress;
      return { lease, walked, rows: { customerId, mark, counted } };
    });
  }

  private async follow(tx: CustomerTransaction, until: string): Promise<void> {
    const { fingerprint } = await comparisonContext(tx);
    const progress = await progressOf(tx);
    if (progress?.fingerprint !== fingerprint) {
      await beginWalk(tx, until, fingerprint);
      await forgetMarks(tx, progress?.fingerprint === '');
    } else if (progress.changed) {
      await markStale(tx, [progress.changedUntil, until]);
      await followUntil(tx, until);
    }
  }

  /**
   * Compares all objects, if a walk is in progress. While a page is compared, the next one is read and the one before is
   * stored.
   */
  private async walk(begun: BegunRefresh, work: Work): Promise<void> {
    const { customerId } = begun.lease;
    if (begun.walked === null) return;
    work.everything = true;
    let ahead: Promise<WalkedPage> | undefined = awaitedLater(this.pageBehind(customerId, begun.walked));
    let saved: Promise<void> = Promise.resolve();
    try {
      while (ahead !== undefined) {
        const { page, until }: WalkedPage = await ahead;
        this.stopping.signal.throwIfAborted();
        ahead = until === undefined ? undefined : awaitedLater(this.pageBehind(customerId, until));
        const rows = await this.compare(begun, page);
        await saved;
        saved = awaitedLater(this.save(begun, rows, work, (tx) => walkedTo(tx, until ?? null)));
      }
      await saved;
    } finally {
      // Neither outlives the lease, even if something else fails.
      await Promise.allSettled([saved, ahead]);
    }
  }

  private pageBehind(customerId: string, after: string): Promise<WalkedPage> {
    return this.read(customerId, async (tx) => {
      const ids = await idsBehind(tx, after, this.times.page);
      const isEnd = ids.length < this.times.page;
      const page = await this.pageOf(tx, ids, { after, until: isEnd ? undefined : ids.at(-1) });
      return { page, until: isEnd && page.ids.length === ids.length ? undefined : page.ids.at(-1) };
    });
  }

  /** Compares the objects that are marked. */
  private async compareStale(begun: BegunRefresh, work: Work): Promise<void> {
    const { customerId } = begun.lease;
    for (;;) {
      this.stopping.signal.throwIfAborted();
      const page = await this.read(customerId, async (tx) => {
        const ids = await staleObjects(tx, this.times.page);
        return ids.length === 0 ? undefined : this.pageOf(tx, ids, { ids });
      });
      if (page === undefined) return;
      const rows = await this.compare(begun, page);
      await this.save(begun, rows, work, (tx) => unmarkStale(tx, page.ids));
    }
  }

  /**
   * The accepted cases that had other values for a while since the last finished refresh, and have the accepted ones
   * again. Their objects are compared as they were then. What is read is of the mark, so it stays the same from step to
   * step.
   */
  private async changedMeanwhile({ lease, rows: { mark } }: BegunRefresh): Promise<readonly ChangedCase[]> {
    const { customerId } = lease;
    const changed: ChangedCase[] = [];
    const unseen = groupBy(await this.read(customerId, (tx) => unseenCases(tx, mark)), (one) => one.objectId);
    const ids = [...unseen.keys()].toSorted();
    for (let place = 0; place < ids.length;) {
      const wanted = ids.slice(place, place + this.times.page);
      const { context, page } = await this.read(customerId, async (tx) => ({
        context: await comparisonContext(tx),
        page: await readObjects(tx, wanted, mark),
      }));
      const convert = caseConverter(context, this.environment.defaultCurrency);
      const records = new Map(page.objects.map((rows) => [rows[0].canonical_id, rows]));
      const passed = page.ids.map(
        (id) =>
          new PassedVersions(
            id,
            records.get(id) ?? [],
            page.candidates.get(id) ?? [],
            unseen.get(id) ?? [],
            context.terms,
            convert,
          ),
      );
      await this.goBack(lease, passed, ({ result }) => changed.push(...result), mark);
      place += page.ids.length;
    }
    return changed;
  }

  /**
   * Stores that the comparisons show the records at the mark. If terms have changed during the refresh, they show no
   * single moment.
   */
  private finish({ lease, rows: { counted } }: BegunRefresh, changed: readonly ChangedCase[]): Promise<void> {
    return this.write(lease.customerId, async (tx) => {
      await holdLease(tx, lease);
      await (counted ? removeEmptyCounts(tx) : recount(tx));
      await endOutdated(tx, changed);
      if (await markFinished(tx, await comparisonContext(tx))) noteCaseEvents(tx);
    });
  }

  private async save(
    { lease }: BegunRefresh,
    rows: NewRows,
    work: Work,
    note: (tx: CustomerTransaction) => Promise<void>,
  ): Promise<void> {
    await this.write(lease.customerId, async (tx) => {
      tx.store.planForAnyParameters();
      await holdLease(tx, lease);
      await savePairs(tx, rows.pairs);
      await saveCases(tx, rows.cases);
      await note(tx);
    });
    work.objects += rows.objects;
  }

  /**
   * Reads objects, the terms of their comparison, and their stored rows, in one snapshot. The stored rows stay as they
   * are until the page is saved, because only this refresh writes them.
   *
   * @param replaced the objects
   */
  private async pageOf(
    tx: CustomerTransaction,
    ids: readonly string[],
    replaced: Replaced,
  ): Promise<ComparablePage> {
    tx.store.planForAnyParameters();
    const [context, withFormer, pairs, cases, page] = await Promise.all([
      comparisonContext(tx),
      idsWithFormer(tx, ids),
      storedPairs(tx, replaced),
      storedCases(tx, replaced),
      readObjects(tx, ids),
    ]);
    const last = page.ids.length < ids.length ? page.ids.at(-1) : undefined;
    const isRead = ({ object_id: id }: { readonly object_id: string }) => last === undefined || id <= last;
    return {
      ...page,
      context,
      withFormer,
      storedPairs: pairs.filter(isRead),
      storedCases: cases.filter(isRead),
    };
  }

  /**
   * Compares a page of objects in several turns of the event loop, without holding a connection. Only the new rows of
   * an object stay in memory, because each garbage collection copies the objects that live until the end of the page.
   */
  private async compare({ lease, rows: common }: BegunRefresh, page: ComparablePage): Promise<NewRows> {
    const { customerId } = lease;
    const { terms } = page.context;
    const convert = caseConverter(page.context, this.environment.defaultCurrency);
    const pairs = new NewPairs(common, page.storedPairs);
    const cases = new NewCases(common, page.storedCases);
    const add = (dated: DatedObject): void => {
      const result = dated.result();
      pairs.add(result);
      cases.add(result);
    };
    const openBefore: DatedObject[] = [];
    for (const rows of page.objects) {
      await this.eventLoop.waitToContinue(customerId);
      const id = rows[0].canonical_id;
      const now = comparedNow(rows, page.candidates.get(id) ?? [], terms, convert);
      const dated = new DatedObject(now, rows, terms, convert);
      if (dated.next !== undefined && page.withFormer.has(id)) {
        openBefore.push(dated);
        continue;
      }
      dated.goBack(noFormer);
      add(dated);
    }
    await this.goBack(lease, openBefore, add);
    return { objects: page.objects.length, pairs, cases };
  }

  /**
   * Gives objects the former versions of their records that they need. Most need a first step alone, which all objects
   * take together. The few that need more than their 50 latest versions go on, few at a time.
   *
   * @param add receives each object that needs no more
   * @param time in the past, for versions before it
   */
  private async goBack<One extends SteppedObject>(
    lease: Lease,
    objects: readonly One[],
    add: (one: One) => void,
    time?: string,
  ): Promise<void> {
    const { customerId } = lease;
    let held = performance.now();
    let [some, left] = [objects, [] as readonly One[]];
    while (some.length > 0) {
      this.stopping.signal.throwIfAborted();
      const places = some.flatMap(({ next }) => next ?? []);
      const former = await this.read(customerId, (tx) => readFormer(tx, places, time));
      const further: One[] = [];
      for (const one of some) {
        await this.eventLoop.waitToContinue(customerId);
        one.goBack(former.get(one.id) ?? noFormer);
        if (one.next === undefined) add(one);
        else further.push(one);
      }
      left = [...further, ...left];
      [some, left] = [left.slice(0, FURTHER_AT_ONCE), left.slice(FURTHER_AT_ONCE)];
      if (performance.now() - held < this.times.lease / 5) continue;
      held = performance.now();
      await this.write(customerId, (tx) => holdLease(tx, lease));
    }
  }

  private read<T>(customerId: string, work: (tx: CustomerTransaction) => Promise<T>): Promise<T> {
    return this.unitOfWork.runFor(customerId, work, LONG_SNAPSHOT);
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

/** A promise that is awaited after other work. Its failure is not reported as unhandled until then. */
function awaitedLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
