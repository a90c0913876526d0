import { groupBy } from '@app/mapper';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import type { ChangedCase } from '../annotations/case-reviews.repository';
import { PassedVersions } from '../comparisons/passed-versions';
import { readObjects } from '../comparisons/stored/compared-objects.repository';
import { caseConverter, comparisonContext } from '../comparisons/stored/comparison-context.repository';
import { unseenCases } from '../comparisons/stored/unseen-values.repository';
import { FormerVersions } from './former-versions';
import type { BegunRefresh } from './refresh-marks';
import { RefreshTransactions } from './refresh-transactions';
import { StatementTimes } from './statement-times';

/** Finds accepted cases whose values changed and changed back. */
@Injectable()
export class ChangedMeanwhile {
  constructor(
    private readonly transactions: RefreshTransactions,
    private readonly former: FormerVersions,
    private readonly times: StatementTimes,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'defaultCurrency'>,
  ) {}

  /**
   * The accepted cases that had other values for a while since the last finished refresh, and have the accepted ones
   * again. Their objects are compared as they were then. What is read is of the mark, so it stays the same from step to
   * step.
   */
  async find(begun: BegunRefresh): Promise<readonly ChangedCase[]> {
    const { customerId, mark } = begun.rows;
    const changed: ChangedCase[] = [];
    const unseen = groupBy(
      await this.transactions.read(customerId, (tx) => unseenCases(tx, mark)),
      (one) => one.objectId,
    );
    const ids = [...unseen.keys()].toSorted();
    for (let place = 0; place < ids.length;) {
      const wanted = ids.slice(place, place + this.times.page);
      const { context, page } = await this.transactions.read(customerId, async (tx) => ({
        context: await comparisonContext(tx),
        page: await readObjects(tx, wanted, mark),
      }));
      const convert = caseConverter(context, this.environment.defaultCurrency);
      const records = new Map(page.objects.map((rows) => [rows[0].canonical_id, rows]));
      const passed = page.ids.map(
        (id) =>
          new PassedVersions(
            id,
            records.get(id) ?? [],
            page.candidates.get(id) ?? [],
            unseen.get(id) ?? [],
            context.terms,
            convert,
          ),
      );
      await this.former.goBack(begun, passed, ({ result }) => changed.push(...result), mark);
      place += page.ids.length;
    }
    return changed;
  }
}
