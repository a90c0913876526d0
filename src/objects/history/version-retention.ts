import { Inject, Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { customersWithChangesBefore, deleteOldChanges } from '../../records/changes/changes.repository';
import { deleteOldMoves } from '../../records/platform-records/deleted-records.repository';
import { noteRemoved } from '../../records/history/history-horizon.repository';
import { deleteOldExtras, deleteOldVersions } from '../../records/changes/record-versions.repository';
import { StorageQuota } from '../../records/storage-quota/storage-quota';
import { Retention } from '../../runtime/background/retention';
import { Workers } from '../../runtime/background/workers';
import { Clock } from '../../runtime/clock/clock';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';

/**
 * Deletes versions of records, and the changes that made them, when they had ended longer ago than history is kept. Present rows
 * stay, however old they are.
 */
@Injectable()
export class VersionRetention extends Retention {
  protected readonly name = 'version_retention';
  protected readonly failure = 'Old versions of records could not be removed';
  protected readonly customers = customersWithChangesBefore;

  constructor(
    unitOfWork: UnitOfWork,
    clock: Clock,
    workers: Workers,
    @Inject(ENVIRONMENT) { historyTtlMs }: Environment,
    private readonly quota: StorageQuota,
  ) {
    super(unitOfWork, clock, workers, { life: historyTtlMs });
  }

  /**
   * Deletes in short transactions. The time is recorded first, so that no response takes the rest for the complete history.
   * Changes are deleted last, because they tell which customers may have expired versions.
   */
  protected async remove(customerId: string, before: Date, stop: AbortSignal): Promise<void> {
    await this.unitOfWork.runFor(customerId, (tx) => noteRemoved(tx, before), { deadlines: 'bulk' });
    const isDone = await this.removeInParts(customerId, before, stop, [
      deleteOldVersions,
      deleteOldExtras,
      deleteOldMoves,
      deleteOldChanges,
    ]);
    if (isDone) await this.quota.recount(customerId);
  }
}
