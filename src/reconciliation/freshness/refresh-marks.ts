import { Injectable } from '@nestjs/common';
import { lockCustomer } from '../../database/transaction/customer-lock';
import { databaseTime } from '../../database/transaction/database-time';
import type { CustomerTransaction } from '../../database/transaction/store';
import { takeDue } from '../../records/changes/due-comparisons.repository';
import { settledTime } from '../../records/history/settled-time.repository';
import type { ChangedCase } from '../annotations/case-reviews.repository';
import { endOutdated } from '../annotations/outdated-reviews';
import { recount, removeEmptyCounts } from '../comparisons/stored/case-counts.repository';
import { noteCaseEvents } from '../comparisons/stored/case-events.repository';
import { comparisonContext } from '../comparisons/stored/comparison-context.repository';
import { forgetMarks, markFinished } from '../comparisons/stored/comparison-marks.repository';
import {
  beginWalk,
  followUntil,
  holdLease,
  progressOf,
  type Lease,
} from '../comparisons/stored/comparison-states.repository';
import type { PageOfRows } from '../comparisons/stored/replaced-rows';
import { markStale } from '../comparisons/stored/stale-comparisons.repository';
import { RefreshTransactions } from './refresh-transactions';
import { StatementTimes } from './statement-times';

/** A refresh whose changes are marked. */
export interface BegunRefresh {
  readonly lease: Lease;
  /** Aborts when the service stops. */
  readonly stop: AbortSignal;
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

/** The first and the last step of a refresh: which changes it includes, and that it includes them. */
@Injectable()
export class RefreshMarks {
  constructor(
    private readonly transactions: RefreshTransactions,
    private readonly times: StatementTimes,
  ) {}

  /** Marks what changed, up to a moment between two changes, by which all earlier changes have been committed. */
  async begin(lease: Lease, stop: AbortSignal): Promise<BegunRefresh> {
    const { customerId } = lease;
    const until = await this.transactions.write(
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
    return this.transactions.write(customerId, async (tx) => {
      await holdLease(tx, lease);
      await follow(tx, until);
      const progress = await progressOf(tx);
      if (progress === undefined) throw new Error('The lease is a part of the state');
      const { changedUntil: mark, counted, walked } = progress;
      return { lease, stop, walked, rows: { customerId, mark, counted } };
    });
  }

  /**
   * Stores that the comparisons show the records at the mark. If terms have changed during the refresh, they show no
   * single moment.
   */
  finish({ lease, rows: { counted } }: BegunRefresh, changed: readonly ChangedCase[]): Promise<void> {
    return this.transactions.write(lease.customerId, async (tx) => {
      await holdLease(tx, lease);
      await (counted ? removeEmptyCounts(tx) : recount(tx));
      await endOutdated(tx, changed);
      if (await markFinished(tx, await comparisonContext(tx))) noteCaseEvents(tx);
    });
  }
}

async function follow(tx: CustomerTransaction, until: string): Promise<void> {
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
