import { Injectable } from '@nestjs/common';
import type { Store } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { StorageQuota } from '../../records/storage-quota/storage-quota';
import { BackgroundTasks } from '../../runtime/background/background-tasks';
import { Retention } from '../../runtime/background/retention';
import { Clock } from '../../runtime/clock/clock';
import { KEPT_FOR } from './keyed-request';
import { customersWithOldKeys, deleteOldKeys } from './keys.repository';

const HOUR = 3_600_000;

/** Deletes keys whose responses are no longer replayed. Keys of requests in progress stay. */
@Injectable()
export class KeyRetention extends Retention {
  protected readonly failure = 'Old idempotency keys could not be removed';

  constructor(
    unitOfWork: UnitOfWork,
    clock: Clock,
    background: BackgroundTasks,
    private readonly quota: StorageQuota,
  ) {
    super(unitOfWork, clock, background, { life: KEPT_FOR, pause: HOUR });
  }

  protected customers(store: Store, before: Date): Promise<readonly string[]> {
    return customersWithOldKeys(store, before);
  }

  protected async remove(customerId: string, before: Date): Promise<void> {
    await this.unitOfWork.runFor(customerId, (tx) => deleteOldKeys(tx, before), { deadlines: 'bulk' });
    await this.quota.recount(customerId);
  }
}
