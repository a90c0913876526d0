import { Injectable } from '@nestjs/common';
import { tryLockCustomer } from '../../database/transaction/customer-lock';
import { CanonicalObjectsRepository } from '../../records/objects/canonical-objects.repository';
import {
  customersWithOldDeleted,
  deleteOldDeleted,
} from '../../records/platform-records/deleted-records.repository';
import { StorageQuota } from '../../records/storage-quota/storage-quota';
import { Retention } from '../../runtime/background/retention';

/** Removes deleted records that are older than the kept history. */
@Injectable()
export class DeletedRetention extends Retention {
  protected readonly name = 'deleted_retention';
  protected readonly failure = 'Old deleted records could not be removed';
  protected readonly customers = customersWithOldDeleted;

  constructor(
    private readonly objects: CanonicalObjectsRepository,
    private readonly quota: StorageQuota,
  ) {
    super();
  }

  /**
   * Skips a customer with work under way until the next time, because a run that restores a deleted record reads its
   * row.
   */
  protected async remove(customerId: string, before: Date): Promise<void> {
    await this.unitOfWork.runFor(
      customerId,
      async (tx) => {
        if (!(await tryLockCustomer(tx))) return;
        const recordless = await deleteOldDeleted(tx, before);
        // An object without records was kept only for its deleted record.
        if (recordless.length > 0) await this.objects.deleteForgotten(tx, recordless);
      },
      { deadlines: 'bulk' },
    );
    await this.quota.recount(customerId);
  }
}
