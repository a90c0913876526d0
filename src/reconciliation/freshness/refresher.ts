import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deleteTaken, isDue } from '../../records/changes/due-comparisons.repository';
import { Metrics, type RefreshOutcome } from '../../runtime/metrics/metrics';
import { workAttributes } from '../../runtime/tracing/logged-work';
import { Spans } from '../../runtime/tracing/spans';
import { comparisonContext } from '../comparisons/stored/comparison-context.repository';
import {
  isUpToDate,
  LeaseLost,
  leaveLease,
  progressOf,
  takeLease,
  type Lease,
} from '../comparisons/stored/comparison-states.repository';
import { ChangedMeanwhile } from './changed-meanwhile';
import { RefreshMarks } from './refresh-marks';
import { RefreshTransactions } from './refresh-transactions';
import { RefreshedObjects, type Work } from './refreshed-objects';
import { StatementTimes } from './statement-times';

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
    private readonly transactions: RefreshTransactions,
    private readonly marks: RefreshMarks,
    private readonly objects: RefreshedObjects,
    private readonly meanwhile: ChangedMeanwhile,
    private readonly times: StatementTimes,
    private readonly metrics: Metrics,
    private readonly spans: Spans,
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
      this.transactions.write(customerId, async (tx) => (await isDue(tx)) && takeLease(tx, lease)),
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
      const begun = await this.marks.begin(lease, this.stopping.signal);
      await this.objects.walk(begun, work);
      await this.objects.compareStale(begun, work);
      await this.marks.finish(begun, await this.meanwhile.find(begun));
      outcome = 'done';
    } catch (error) {
      // Another instance has taken over and does the rest.
      if (!(error instanceof LeaseLost)) throw error;
      outcome = 'taken_over';
    } finally {
      this.metrics.observeRefresh(work, outcome, (performance.now() - since) / 1_000);
      await this.transactions.write(customerId, async (tx) => {
        if (outcome === 'done') await deleteTaken(tx, lease);
        await leaveLease(tx, lease);
      });
    }
    return { ...work, outcome };
  }

  /** Waits for the lease; false if another instance has done all the work meanwhile. */
  private async awaitLease(lease: Lease): Promise<boolean> {
    const { customerId } = lease;
    while (!(await this.transactions.write(customerId, (tx) => takeLease(tx, lease)))) {
      if (await this.isUpToDate(customerId)) return false;
      await sleep(this.times.poll, undefined, { signal: this.stopping.signal, ref: false });
    }
    return true;
  }

  private isUpToDate(customerId: string): Promise<boolean> {
    return this.transactions.read(customerId, async (tx) => {
      const { fingerprint } = await comparisonContext(tx);
      return isUpToDate(await progressOf(tx), fingerprint);
    });
  }
}
