import { Injectable } from '@nestjs/common';
import type { CustomerTransaction } from '../../database/transaction/store';
import { walkedTo } from '../comparisons/stored/comparison-states.repository';
import { unmarkStale } from '../comparisons/stored/stale-comparisons.repository';
import { ComparablePages, type WalkedPage } from './comparable-pages';
import { PageComparison, type NewRows } from './page-comparison';
import type { BegunRefresh } from './refresh-marks';

/** The progress of a refresh. */
export interface Work {
  objects: number;
  /** Whether all objects are compared, not only those that changes have touched. */
  everything: boolean;
}

/** Takes a refresh through its objects, page by page: all of them, or those that are marked. */
@Injectable()
export class RefreshedObjects {
  constructor(
    private readonly pages: ComparablePages,
    private readonly comparison: PageComparison,
  ) {}

  /**
   * Compares all objects, if a walk is in progress. While a page is compared, the next one is read and the one before is
   * stored.
   */
  async walk(begun: BegunRefresh, work: Work): Promise<void> {
    const { customerId } = begun.lease;
    if (begun.walked === null) return;
    work.everything = true;
    let ahead: Promise<WalkedPage> | undefined = awaitedLater(this.pages.behind(customerId, begun.walked));
    let saved: Promise<void> = Promise.resolve();
    try {
      while (ahead !== undefined) {
        const { page, until }: WalkedPage = await ahead;
        begun.stop.throwIfAborted();
        ahead = until === undefined ? undefined : awaitedLater(this.pages.behind(customerId, until));
        const rows = await this.comparison.compare(begun, page);
        await saved;
        saved = awaitedLater(this.save(begun, rows, work, (tx) => walkedTo(tx, until ?? null)));
      }
      await saved;
    } finally {
      // Neither outlives the lease, even if something else fails.
      await Promise.allSettled([saved, ahead]);
    }
  }

  /** Compares the objects that are marked. */
  async compareStale(begun: BegunRefresh, work: Work): Promise<void> {
    for (;;) {
      begun.stop.throwIfAborted();
      const page = await this.pages.stale(begun.lease.customerId);
      if (page === undefined) return;
      const rows = await this.comparison.compare(begun, page);
      await this.save(begun, rows, work, (tx) => unmarkStale(tx, page.ids));
    }
  }

  private async save(
    begun: BegunRefresh,
    rows: NewRows,
    work: Work,
    note: (tx: CustomerTransaction) => Promise<void>,
  ): Promise<void> {
    await this.comparison.save(begun, rows, note);
    work.objects += rows.objects;
  }
}

/** A promise that is awaited after other work. Its failure is not reported as unhandled until then. */
function awaitedLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
