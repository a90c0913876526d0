import { Inject, Injectable } from '@nestjs/common';
import { tryLockCustomer } from '../../database/transaction/customer-lock';
import type { Store } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { deleteForgottenObjects } from '../../records/objects/canonical-objects.repository';
import {
  customersWithOldDeleted,
  deleteOldDeleted,
} from '../../records/platform-records/deleted-records.repository';
import { BackgroundTasks } from '../../runtime/background/background-tasks';
import { Retention } from '../../runtime/background/retention';
import { Clock } from '../../runtime/clock/clock';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';

/** Removes what is kept of deleted records when it is older than history is kept. */
@Injectable()
export class DeletedRetention extends Retention {
  protected readonly failure = 'Old deleted records could not be removed';

  constructor(
    unitOfWork: UnitOfWork,
    clock: Clock,
    background: BackgroundTasks,
    @Inject(ENVIRONMENT) { historyTtlMs }: Environment,
  ) {
    super(unitOfWork, clock, background, { life: historyTtlMs });
  }

  protected customers(store: Store, before: Date): Promise<readonly string[]> {
    return customersWithOldDeleted(store, before);
  }

  /** A customer with work under way is left for the next time: a run that brings a deleted record back reads its row. */
  protected async remove(customerId: string, before: Date): Promise<void> {
    await this.unitOfWork.runFor(
      customerId,
      async (tx) => {
        if (!(await tryLockCustomer(tx))) return;
        const objects = await deleteOldDeleted(tx, before);
        // An object that has no record left was kept for its deleted one.
        if (objects.length > 0) await deleteForgottenObjects(tx, objects);
      },
      { deadlines: 'bulk' },
    );
  }
}
