import { Injectable } from '@nestjs/common';
import { Retention } from '../../runtime/background/retention';
import { StorageQuota } from '../../records/storage-quota/storage-quota';
import { CaseNotesRepository } from '../annotations/case-notes.repository';
import { deleteForsakenReviews, deleteOldReviews } from '../annotations/case-reviews.repository';
import { customersWithOldReviews } from './expiring.repository';

/**
 * Deletes reviews and notes that are older than history is kept: replaced reviews, reviews of cases that no longer
 * exist, and notes about cases that are not open. It searches these rows themselves, so it also finds customers whose
 * comparisons were not refreshed since.
 */
@Injectable()
export class ReviewRetention extends Retention {
  protected readonly name = 'review_retention';
  protected readonly failure = 'Old reviews of cases could not be removed';
  protected readonly customers = customersWithOldReviews;

  constructor(
    private readonly notes: CaseNotesRepository,
    private readonly quota: StorageQuota,
  ) {
    super();
  }

  protected async remove(customerId: string, before: Date, stop: AbortSignal): Promise<void> {
    const isDone = await this.removeInParts(customerId, before, stop, [
      deleteOldReviews,
      deleteForsakenReviews,
      (tx, ...old) => this.notes.deleteOld(tx, ...old),
    ]);
    if (isDone) await this.quota.recount(customerId);
  }
}
