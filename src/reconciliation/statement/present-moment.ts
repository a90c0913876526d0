import type { CustomerTransaction } from '../../database/transaction/store';
import { settledTime } from '../../records/history/settled-time.repository';
import { lastRuns } from '../../sync/run/run-history.repository';
import {
  comparisonContext,
  type ComparisonContext,
} from '../comparisons/stored/comparison-context.repository';
import { latestShown } from '../comparisons/stored/comparison-states.repository';
import { LONG_SNAPSHOT, type UnitOfWork } from '../../database/transaction/unit-of-work';
import type { DeletedCounts } from './figures/deleted-counts.repository';
import { figuresOf } from './figures/figures';
import type { ScopeTallies, StatementScope } from './figures/tallies.repository';
import { gapsOf, type IncompleteReason } from '../freshness/completeness';
import { comparingReason } from '../freshness/freshness';
import type { StatementBooks } from './statement-record';

/** What present statements of all scopes have in common, in one snapshot. */
export interface PresentMoment {
  /** The latest time whose changes the comparisons show; in UTC, with microseconds. */
  readonly asOf: string;
  readonly known: ComparisonContext;
  /** Why the comparisons do not include all changes; undefined if they do. */
  readonly comparing: IncompleteReason | undefined;
  readonly runs: Awaited<ReturnType<typeof lastRuns>>;
}

/** Reads in one snapshot, for as long as it takes. */
export async function atPresent<T>(
  unitOfWork: UnitOfWork,
  customerId: string,
  read: (tx: CustomerTransaction, moment: PresentMoment) => Promise<T>,
): Promise<T> {
  const settled = await unitOfWork.runFor(customerId, (tx) => settledTime(tx), { readOnly: true });
  return unitOfWork.runFor(customerId, async (tx) => read(tx, await momentOf(tx, settled)), LONG_SNAPSHOT);
}

/** @param settled a time that was settled before the snapshot */
async function momentOf(tx: CustomerTransaction, settled: string): Promise<PresentMoment> {
  const [known, runs] = await Promise.all([comparisonContext(tx), lastRuns(tx)]);
  const comparing = await comparingReason(tx, known);
  return { asOf: comparing === undefined ? await latestShown(tx, settled) : settled, known, comparing, runs };
}

/** The books of a scope. */
export function booksOf(
  { asOf, known: { currencies: connected, rates }, comparing, runs }: PresentMoment,
  scope: StatementScope,
  { tallies, currencies }: ScopeTallies,
  deleted: DeletedCounts,
): StatementBooks {
  const gaps = gapsOf([scope.left, scope.right], new Set(connected.keys()), runs);
  return {
    asOf,
    scope,
    tallies,
    figures: figuresOf(tallies, scope.types),
    deleted,
    currencies,
    rates,
    reasons: comparing === undefined ? gaps : [...gaps, comparing],
  };
}
