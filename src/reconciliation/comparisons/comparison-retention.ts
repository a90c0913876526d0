import { Injectable } from '@nestjs/common';
import { Retention } from '../../runtime/background/retention';
import { deleteOldCases } from './stored/case-rows.repository';
import { customersWithMarksBefore, deleteOldMarks } from './stored/comparison-marks.repository';
import { deleteOldPairs } from './stored/comparisons.repository';

/**
 * Deletes versions of comparisons and cases that ended longer ago than history is kept, closed cases among them, and the
 * marks before. The last of these marks stays: it is right for the time at which history begins.
 */
@Injectable()
export class ComparisonRetention extends Retention {
  protected readonly name = 'comparison_retention';
  protected readonly failure = 'Old comparisons could not be removed';
  protected readonly customers = customersWithMarksBefore;

  /** Marks go first, so that none is left whose versions are gone. */
  protected async remove(customerId: string, before: Date, stop: AbortSignal): Promise<void> {
    await this.removeInParts(customerId, before, stop, [deleteOldMarks, deleteOldPairs, deleteOldCases]);
  }
}
