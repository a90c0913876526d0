import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../runtime/clock/clock';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { customersWithChangesBefore, deleteOldChanges } from '../../records/changes.repository';
import { deleteOldMoves } from '../../records/deleted-records.repository';
import { deleteOldExtras, deleteOldVersions } from '../../records/record-versions.repository';
import { noteRemoved } from '../../records/history-horizon.repository';
import { BackgroundTasks } from '../../runtime/background/background-tasks';
import { forEachCustomer } from '../../runtime/background/each-customer';
import { pauseOfSweeps } from '../../runtime/background/sweeps';
import { StorageQuota } from '../../records/storage-quota/storage-quota';

/** Maximum number of rows that one transaction deletes. */
const AT_ONCE = 1_000;

/** Deletes versions of records, and the changes that made them, when they are older than the retention of history. */
@Injectable()
export class VersionRetention implements OnApplicationBootstrap {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly background: BackgroundTasks,
    private readonly quota: StorageQuota,
  ) {}

  onApplicationBootstrap(): void {
    const life = this.environment.historyTtlMs;
    if (life === 0) return;
    this.background.start({
      pause: pauseOfSweeps(life),
      run: (stop) => this.purge(new Date(this.clock.now().getTime() - life), stop),
      failure: 'Old versions of records could not be removed',
    });
  }

  /**
   * Deletes what had ended by the given time, one customer after another, in short transactions. Present rows stay,
   * however old they are. The time is recorded first, so that no response takes the rest for the complete history.
   * Changes are deleted last, because they tell which customers may have expired versions.
   */
  async purge(before: Date, stop?: AbortSignal): Promise<void> {
    const customers = await this.unitOfWork.run((store) => customersWithChangesBefore(store, before), {
      patience: 'bulk',
      readOnly: true,
    });
    await forEachCustomer(customers, stop, async (customerId) => {
      await this.unitOfWork.runFor(customerId, (tx) => noteRemoved(tx, before), {
        patience: 'bulk',
      });
      for (const deleteOld of [deleteOldVersions, deleteOldExtras, deleteOldMoves, deleteOldChanges]) {
        let removed = AT_ONCE;
        while (removed === AT_ONCE) {
          if (stop?.aborted) return;
          removed = await this.unitOfWork.runFor(customerId, (tx) => deleteOld(tx, before, AT_ONCE), {
            patience: 'bulk',
          });
        }
      }
      await this.quota.recount(customerId);
    });
  }
}
