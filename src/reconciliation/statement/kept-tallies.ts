import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import type { CustomerTransaction } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { wholeSince } from '../../records/history/history-horizon.repository';
import type { ComparisonContext } from '../comparisons/comparison-context.repository';
import { replacedSince } from '../comparisons/replaced-since.repository';
import { readTallies, type ScopeTallies, type StatementScope } from './figures/tallies.repository';
import { replacedTallies } from './figures/tally-sums';
import { keepState, keptStateOf, presentMarkOf, type KeptState } from './kept-tallies.repository';

/** Increased when the tallies of the same comparisons change. */
const VERSION = 1;

/** The most objects that are taken away and added. With more, all comparisons are added up anew. */
const MOST_REPLACED = 2_000;

/** With more objects replaced, the present tallies are kept in the place of the earlier ones. */
const KEPT_AGAIN = 200;

/** What the stored comparisons show, in the snapshot of a statement. */
export interface ShownComparisons {
  /** The time at which reviews count, in UTC with microseconds. */
  readonly asOf: string;
  readonly known: ComparisonContext;
  /** Whether they include every change. */
  readonly hasFollowed: boolean;
}

/** Present tallies without ages, and what is to be kept of them: nothing where what was kept is good enough. */
interface RecurringTallies extends ScopeTallies {
  readonly unkept: KeptState | undefined;
}

/**
 * Tallies of scopes that are read again and again. To add up all comparisons takes time in proportion to all of them. From the
 * tallies of an earlier moment, only the objects that were replaced since are taken away, as they were, and added, as they are.
 */
@Injectable()
export class KeptTallies {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'historyTtlMs'>,
  ) {}

  /** The tallies of a scope, in the caller's snapshot. */
  async read(
    tx: CustomerTransaction,
    scope: StatementScope,
    shown: ShownComparisons,
  ): Promise<RecurringTallies> {
    const { asOf, known, hasFollowed } = shown;
    const replaced = hasFollowed ? await this.replaced(tx, scope, shown) : undefined;
    if (replaced !== undefined && replaced.objects <= KEPT_AGAIN) return { ...replaced, unkept: undefined };
    const read = replaced ?? (await readTallies(tx, scope, known.rates, asOf));
    const mark = hasFollowed ? await presentMarkOf(tx) : undefined;
    const { fingerprint } = known;
    return { ...read, unkept: mark && { ...mark, ...read, scope: nameOf(scope), asOf, fingerprint } };
  }

  /** Keeps tallies for the next time. */
  keep(customerId: string, unkept: KeptState): Promise<void> {
    return this.unitOfWork.runFor(customerId, (tx) => keepState(tx, unkept));
  }

  /** The tallies by way of kept ones; undefined where that is not possible, or not less work. */
  private async replaced(
    tx: CustomerTransaction,
    scope: StatementScope,
    { asOf, known: { fingerprint, rates } }: ShownComparisons,
  ): Promise<(ScopeTallies & { readonly objects: number }) | undefined> {
    const kept = await keptStateOf(tx, nameOf(scope));
    if (kept?.fingerprint !== fingerprint || kept.asOf > asOf) return undefined;
    // Versions and reviews that ended before are not there any more.
    const since = await wholeSince(tx, this.environment.historyTtlMs);
    if (since !== undefined && kept.asOf < since) return undefined;
    const only = await replacedSince(tx, kept, asOf, MOST_REPLACED);
    if (only === undefined) return undefined;
    const objects = only.length;
    if (objects === 0) return { ...kept, objects };
    const before = await readTallies(tx, scope, rates, kept.asOf, { mark: kept.mark, only });
    const now = await readTallies(tx, scope, rates, asOf, { only });
    const tallies = replacedTallies(kept.tallies, before.tallies, now.tallies);
    // Of what is not there any more, a currency may be left.
    const currencies = [...new Set([...kept.currencies, ...now.currencies])].toSorted();
    return { tallies, currencies, objects };
  }
}

function nameOf({ left, right, types, projectId, currency, through }: StatementScope): string {
  return JSON.stringify([VERSION, left, right, types, projectId ?? null, currency, through ?? null]);
}
