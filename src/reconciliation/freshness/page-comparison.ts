import { Inject, Injectable } from '@nestjs/common';
import type { CustomerTransaction } from '../../database/transaction/store';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import { comparedNow, DatedObject } from '../comparisons/compared-rows';
import { NewCases, saveCases } from '../comparisons/stored/case-rows.repository';
import { noFormer } from '../comparisons/stored/compared-objects.repository';
import { caseConverter } from '../comparisons/stored/comparison-context.repository';
import { holdLease } from '../comparisons/stored/comparison-states.repository';
import { NewPairs, savePairs } from '../comparisons/stored/comparisons.repository';
import type { ComparablePage } from './comparable-pages';
import { FormerVersions } from './former-versions';
import type { BegunRefresh } from './refresh-marks';
import { RefreshTransactions } from './refresh-transactions';

/** The rows of a page that take the place of the stored ones. */
export interface NewRows {
  readonly objects: number;
  readonly pairs: NewPairs;
  readonly cases: NewCases;
}

/** Compares pages of objects, and stores the result. */
@Injectable()
export class PageComparison {
  constructor(
    private readonly transactions: RefreshTransactions,
    private readonly former: FormerVersions,
    private readonly eventLoop: EventLoopScheduler,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'defaultCurrency'>,
  ) {}

  /**
   * Compares a page of objects in several turns of the event loop, without holding a connection. Only the new rows of
   * an object stay in memory, because each garbage collection copies the objects that live until the end of the page.
   */
  async compare(begun: BegunRefresh, page: ComparablePage): Promise<NewRows> {
    const { terms } = page.context;
    const convert = caseConverter(page.context, this.environment.defaultCurrency);
    const pairs = new NewPairs(begun.rows, page.storedPairs);
    const cases = new NewCases(begun.rows, page.storedCases);
    const add = (dated: DatedObject): void => {
      const result = dated.result();
      pairs.add(result);
      cases.add(result);
    };
    const openBefore: DatedObject[] = [];
    for (const rows of page.objects) {
      await this.eventLoop.waitToContinue(begun.rows.customerId);
      const id = rows[0].canonical_id;
      const now = comparedNow(rows, page.candidates.get(id) ?? [], terms, convert);
      const dated = new DatedObject(now, rows, terms, convert);
      if (dated.next !== undefined && page.withFormer.has(id)) {
        openBefore.push(dated);
        continue;
      }
      dated.goBack(noFormer);
      add(dated);
    }
    await this.former.goBack(begun, openBefore, add);
    return { objects: page.objects.length, pairs, cases };
  }

  /** @param note stores the progress, in the transaction of the rows */
  save(
    { lease }: BegunRefresh,
    { pairs, cases }: NewRows,
    note: (tx: CustomerTransaction) => Promise<void>,
  ): Promise<void> {
    return this.transactions.write(lease.customerId, async (tx) => {
      tx.store.planForAnyParameters();
      await holdLease(tx, lease);
      await savePairs(tx, pairs);
      await saveCases(tx, cases);
      await note(tx);
    });
  }
}
