import { Inject, Injectable } from '@nestjs/common';
import type { CustomersWithOlderRows, OlderRow } from '../../database/transaction/older-rows';
import type { Store } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { Retention } from '../../runtime/background/retention';
import { Workers } from '../../runtime/background/workers';
import { Clock } from '../../runtime/clock/clock';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { deleteOldNotes } from './case-notes.repository';
import { deleteForsakenReviews, deleteOldReviews } from './case-reviews.repository';
import { customersWithOldReviews } from './expiring.repository';

/** Maximum number of rows that one transaction deletes. */
const AT_ONCE = 1_000;

/**
 * Deletes what people said about cases longer ago than history is kept: former reviews, reviews of cases that are not there any
 * more, and notes about cases that are not open. It looks for these rows themselves, so it also finds those of customers whose
 * comparisons no refresh has followed since.
 */
@Injectable()
export class ReviewRetention extends Retention {
  protected readonly name = 'review_retention';
  protected readonly failure = 'Old reviews of cases could not be removed';

  constructor(
    unitOfWork: UnitOfWork,
    clock: Clock,
    workers: Workers,
    @Inject(ENVIRONMENT) { historyTtlMs }: Environment,
  ) {
    super(unitOfWork, clock, workers, { life: historyTtlMs });
  }

  protected customers(store: Store, before: Date, after?: OlderRow): Promise<CustomersWithOlderRows> {
    return customersWithOldReviews(store, before, after);
  }

  protected async remove(customerId: string, before: Date, stop: AbortSignal): Promise<void> {
    for (const deleteOld of [deleteOldReviews, deleteForsakenReviews, deleteOldNotes]) {
      let removed = AT_ONCE;
      while (removed === AT_ONCE) {
        if (stop.aborted) return;
        removed = await this.unitOfWork.runFor(customerId, (tx) => deleteOld(tx, before, AT_ONCE), {
          deadlines: 'bulk',
        });
      }
    }
  }
}
