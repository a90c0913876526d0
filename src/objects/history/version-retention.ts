import { Injectable } from '@nestjs/common';
import { customersWithChangesBefore, deleteOldChanges } from '../../records/changes/changes.repository';
import { deleteOldAliases } from '../../records/objects/aliases.repository';
import { deleteOldMoves } from '../../records/platform-records/deleted-records.repository';
import { noteRemoved } from '../../records/history/history-horizon.repository';
import { deleteOldExtras, deleteOldVersions } from '../../records/changes/record-versions.repository';
import { StorageQuota } from '../../records/storage-quota/storage-quota';
import { Retention } from '../../runtime/background/retention';

/**
 * Deletes versions of records that ended longer ago than history is kept, and the changes that made them. Present rows
 * stay, whatever their age.
 */
@Injectable()
export class VersionRetention extends Retention {
  protected readonly name = 'version_retention';
  protected readonly failure = 'Old versions of records could not be removed';
  protected readonly customers = customersWithChangesBefore;

  constructor(private readonly quota: StorageQuota) {
    super();
  }

  /**
   * Deletes in short transactions. The time is stored first, so that no response presents the remaining history as
   * complete. Changes are deleted last, because they identify the customers that may have expired versions.
   */
  protected async remove(customerId: string, before: Date, stop: AbortSignal): Promise<void> {
    await this.unitOfWork.runFor(customerId, (tx) => noteRemoved(tx, before), { deadlines: 'bulk' });
    const isDone = await this.removeInParts(customerId, before, stop, [
      deleteOldVersions,
      deleteOldExtras,
      deleteOldMoves,
      deleteOldAliases,
      deleteOldChanges,
    ]);
    if (isDone) await this.quota.recount(customerId);
  }
}
