import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../runtime/clock/clock';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { BackgroundTasks } from '../../runtime/background/background-tasks';
import { forEachCustomer } from '../../runtime/background/each-customer';
import { StorageQuota } from '../../records/storage-quota/storage-quota';
import { KEPT_FOR } from './keyed-request';
import { customersWithOldKeys, deleteOldKeys } from './keys.repository';

const HOUR = 3_600_000;

/** Deletes keys whose responses are no longer replayed. */
@Injectable()
export class KeyRetention implements OnApplicationBootstrap {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly background: BackgroundTasks,
    private readonly quota: StorageQuota,
  ) {}

  onApplicationBootstrap(): void {
    this.background.start({
      pause: HOUR,
      run: (stop) => this.purge(stop),
      failure: 'Old idempotency keys could not be removed',
    });
  }

  /** Deletes expired keys, one customer after another. Keys of requests in progress stay. */
  async purge(stop?: AbortSignal): Promise<void> {
    const oldest = new Date(this.clock.now().getTime() - KEPT_FOR);
    const customers = await this.unitOfWork.run((store) => customersWithOldKeys(store, oldest), {
      patience: 'bulk',
      readOnly: true,
    });
    await forEachCustomer(customers, stop, async (customerId) => {
      await this.unitOfWork.runFor(customerId, (tx) => deleteOldKeys(tx, oldest), { patience: 'bulk' });
      await this.quota.recount(customerId);
    });
  }
}
