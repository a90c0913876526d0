import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { tryLockCustomer } from '../../database/transaction/customer-lock';
import type { CustomerTransaction } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { deleteForgottenObjects } from '../../records/canonical-objects.repository';
import { customersWithOldDeleted, deleteOldDeleted } from '../../records/deleted-records.repository';
import { BackgroundTasks } from '../../runtime/background/background-tasks';
import { forEachCustomer } from '../../runtime/background/each-customer';
import { pauseOfSweeps } from '../../runtime/background/sweeps';

/** Removes what is kept of deleted records when it is older than history is kept. */
@Injectable()
export class DeletedRetention implements OnApplicationBootstrap {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly background: BackgroundTasks,
  ) {}

  onApplicationBootstrap(): void {
    const life = this.environment.historyTtlMs;
    if (life === 0) return;
    this.background.start({
      pause: pauseOfSweeps(life),
      run: (stop) => this.purge(stop),
      failure: 'Old deleted records could not be removed',
    });
  }

  /** Removes what is too old, one customer after the other. A customer with work under way is left for the next time. */
  async purge(stop?: AbortSignal): Promise<void> {
    const life = this.environment.historyTtlMs;
    const customers = await this.unitOfWork.run((store) => customersWithOldDeleted(store, life), {
      patience: 'bulk',
      readOnly: true,
    });
    await forEachCustomer(customers, stop, async (customerId) => {
      await this.unitOfWork.runFor(
        customerId,
        async (tx) => {
          // A run that brings a deleted record back takes its place from the row.
          if (await tryLockCustomer(tx)) await removeDeleted(tx, life);
        },
        { patience: 'bulk' },
      );
    });
  }
}

async function removeDeleted(tx: CustomerTransaction, life: number): Promise<void> {
  const objects = await deleteOldDeleted(tx, life);
  // An object that has no record left was kept for its deleted one.
  if (objects.length > 0) await deleteForgottenObjects(tx, objects);
}
