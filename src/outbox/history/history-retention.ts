import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../runtime/clock/clock';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { BackgroundTasks } from '../../runtime/background/background-tasks';
import { forEachCustomer } from '../../runtime/background/each-customer';
import { pauseOfSweeps } from '../../runtime/background/sweeps';
import { deleteOldCommands } from '../command/commands.repository';
import { deleteOldDecisions } from '../operator/operator-decisions.repository';
import { customersWithOldChanges, deleteOldChanges } from './propagations.repository';
import { StorageQuota } from '../../records/storage-quota/storage-quota';

/** Removes the history of changes that were decided longer ago than history is kept. */
@Injectable()
export class HistoryRetention implements OnApplicationBootstrap {
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
      run: (stop) => this.purge(stop),
      failure: 'Old history could not be removed',
    });
  }

  /**
   * Removes what is too old, one customer after the other. A change lives for as long as one of its commands is open, waits for
   * a person or is not too old itself, and so do its other commands and what operators decided about them: a command that is
   * taken up again needs them. A change that answers an Idempotency-Key lives for as long as the key.
   */
  async purge(stop?: AbortSignal): Promise<void> {
    const oldest = new Date(this.clock.now().getTime() - this.environment.historyTtlMs);
    const customers = await this.unitOfWork.run((store) => customersWithOldChanges(store, oldest), {
      patience: 'bulk',
      readOnly: true,
    });
    await forEachCustomer(customers, stop, async (customerId) => {
      await this.unitOfWork.runFor(
        customerId,
        async (tx) => {
          await deleteOldChanges(tx, oldest);
          await deleteOldCommands(tx, oldest);
          await deleteOldDecisions(tx, oldest);
        },
        { patience: 'bulk' },
      );
      await this.quota.recount(customerId);
    });
  }
}
