import { Injectable } from '@nestjs/common';
import type { CustomerTransaction } from '../../database/transaction/store';
import { storedCases, type StoredCase } from '../comparisons/stored/case-rows.repository';
import {
  idsBehind,
  idsWithFormer,
  readObjects,
  type ObjectPage,
} from '../comparisons/stored/compared-objects.repository';
import {
  comparisonContext,
  type ComparisonContext,
} from '../comparisons/stored/comparison-context.repository';
import { storedPairs, type StoredPair } from '../comparisons/stored/comparisons.repository';
import type { Replaced } from '../comparisons/stored/replaced-rows';
import { staleObjects } from '../comparisons/stored/stale-comparisons.repository';
import { RefreshTransactions } from './refresh-transactions';
import { StatementTimes } from './statement-times';

/** Objects, and all that comparing and storing them needs. */
export interface ComparablePage extends ObjectPage {
  readonly context: ComparisonContext;
  /** Objects that have former versions. */
  readonly withFormer: ReadonlySet<string>;
  readonly storedPairs: readonly StoredPair[];
  readonly storedCases: readonly StoredCase[];
}

/** The next objects of a walk. */
export interface WalkedPage {
  readonly page: ComparablePage;
  /** The last of them; undefined at the end of the walk. */
  readonly until: string | undefined;
}

/** Reads the objects that a refresh compares, page by page. */
@Injectable()
export class ComparablePages {
  constructor(
    private readonly transactions: RefreshTransactions,
    private readonly times: StatementTimes,
  ) {}

  /** The next page of all objects. */
  behind(customerId: string, after: string): Promise<WalkedPage> {
    return this.transactions.read(customerId, async (tx) => {
      const ids = await idsBehind(tx, after, this.times.page);
      const isEnd = ids.length < this.times.page;
      const page = await pageOf(tx, ids, { after, until: isEnd ? undefined : ids.at(-1) });
      return { page, until: isEnd && page.ids.length === ids.length ? undefined : page.ids.at(-1) };
    });
  }

  /** A page of the objects that are marked; undefined if none are. */
  stale(customerId: string): Promise<ComparablePage | undefined> {
    return this.transactions.read(customerId, async (tx) => {
      const ids = await staleObjects(tx, this.times.page);
      return ids.length === 0 ? undefined : pageOf(tx, ids, { ids });
    });
  }
}

/**
 * Reads objects, the terms of their comparison, and their stored rows, in one snapshot. The stored rows stay as they are
 * until the page is saved, because only this refresh writes them.
 *
 * @param replaced the objects
 */
async function pageOf(
  tx: CustomerTransaction,
  ids: readonly string[],
  replaced: Replaced,
): Promise<ComparablePage> {
  tx.store.planForAnyParameters();
  const [context, withFormer, pairs, cases, page] = await Promise.all([
    comparisonContext(tx),
    idsWithFormer(tx, ids),
    storedPairs(tx, replaced),
    storedCases(tx, replaced),
    readObjects(tx, ids),
  ]);
  const last = page.ids.length < ids.length ? page.ids.at(-1) : undefined;
  const isRead = ({ object_id: id }: { readonly object_id: string }) => last === undefined || id <= last;
  return {
    ...page,
    context,
    withFormer,
    storedPairs: pairs.filter(isRead),
    storedCases: cases.filter(isRead),
  };
}
