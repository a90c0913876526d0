import { Inject, Injectable } from '@nestjs/common';
import type { CustomersWithOlderRows, OlderRow } from '../../../database/transaction/older-rows';
import type { Store } from '../../../database/transaction/store';
import { UnitOfWork } from '../../../database/transaction/unit-of-work';
import { Retention } from '../../../runtime/background/retention';
import { Workers } from '../../../runtime/background/workers';
import { Clock } from '../../../runtime/clock/clock';
import { ENVIRONMENT, type Environment } from '../../../runtime/config/environment';
import { deleteOldCases } from '../case-rows.repository';
import { customersWithMarksBefore, deleteOldMarks } from './comparison-marks.repository';
import { deleteOldPairs } from '../comparisons.repository';

/** Maximum number of rows that one transaction deletes. */
const AT_ONCE = 1_000;

/**
 * Deletes versions of comparisons and cases that ended longer ago than history is kept, closed cases among them, and the
 * marks before. The last of these marks stays: it is right for the time at which history begins.
 */
@Injectable()
export class ComparisonRetention extends Retention {
  protected readonly name = 'comparison_retention';
  protected readonly failure = 'Old comparisons could not be removed';

  constructor(
    unitOfWork: UnitOfWork,
    clock: Clock,
    workers: Workers,
    @Inject(ENVIRONMENT) { historyTtlMs }: Environment,
  ) {
    super(unitOfWork, clock, workers, { life: historyTtlMs });
  }

  protected customers(store: Store, before: Date, after?: OlderRow): Promise<CustomersWithOlderRows> {
    return customersWithMarksBefore(store, before, after);
  }

  /** Marks go first, so that none is left whose versions are gone. */
  protected async remove(customerId: string, before: Date, stop: AbortSignal): Promise<void> {
    for (const deleteOld of [deleteOldMarks, deleteOldPairs, deleteOldCases]) {
      let removed = AT_ONCE;
      while (removed === AT_ONCE) {
        if (stop.aborted) return;
        removed = await this.unitOfWork.runFor(customerId, (tx) => deleteOld(tx, before, AT_ONCE), {
          deadlines: 'bulk',
        });
      }
    }
  }
}
