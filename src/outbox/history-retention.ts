import { Injectable } from '@nestjs/common';
import { StorageQuota } from '../records/storage-quota/storage-quota';
import { Retention } from '../runtime/background/retention';
import { deleteOldCommands } from './command/stored/commands.repository';
import { OperatorDecisionsRepository } from './operator/operator-decisions.repository';
import { customersWithOldChanges, PropagationsRepository } from './history/propagations.repository';

/**
 * Deletes the history of changes that were decided longer ago than the configured lifetime. A change stays while one of
 * its commands is open, held or young enough. Its other commands and the decisions of operators about them stay too,
 * because a command that an operator reopens needs them. A change that an idempotency key names stays as long as the
 * key.
 */
@Injectable()
export class HistoryRetention extends Retention {
  protected readonly name = 'history_retention';
  protected readonly failure = 'Old history could not be removed';
  protected readonly customers = customersWithOldChanges;

  constructor(
    private readonly quota: StorageQuota,
    private readonly changes: PropagationsRepository,
    private readonly decisions: OperatorDecisionsRepository,
  ) {
    super();
  }

  protected async remove(customerId: string, before: Date): Promise<void> {
    await this.unitOfWork.runFor(
      customerId,
      async (tx) => {
        await this.changes.deleteOld(tx, before);
        await deleteOldCommands(tx, before);
        await this.decisions.deleteOld(tx, before);
      },
      { deadlines: 'bulk' },
    );
    await this.quota.recount(customerId);
  }
}
