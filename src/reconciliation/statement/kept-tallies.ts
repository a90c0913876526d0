import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import type { CustomerTransaction } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { wholeSince } from '../../records/history/history-horizon.repository';
import type { ComparisonContext } from '../comparisons/stored/comparison-context.repository';
import {
  lastingRows,
  replacedSince,
  type ComparedMoment,
} from '../comparisons/stored/replaced-since.repository';
import { ReplacedObjects } from './figures/replaced-tallies';
import { readTallies, type ScopeTallies, type StatementScope } from './figures/tallies.repository';
import {
  keepStates,
  keptStatesOf,
  presentMarkOf,
  type FinishedMark,
  type KeptState,
} from './kept-tallies.repository';

/** The format of stored tallies. Increase it if the same comparisons give other tallies. */
const VERSION = 3;

/**
 * The most replaced rows for which earlier tallies are updated. If there are more, all comparisons are added up anew.
 */
const MOST_REPLACED = 8_000;

/** With more rows replaced, the present tallies are kept in the place of the earlier ones. */
const KEPT_AGAIN = 800;

/** The state of the stored comparisons in the snapshot of a statement. */
export interface ShownComparisons {
  /** The time at which reviews count, in UTC with microseconds. */
  readonly asOf: string;
  readonly known: ComparisonContext;
  /** Whether they include every change. */
  readonly hasFollowed: boolean;
}

/** The data of some scopes, read in one snapshot. The remaining scopes are read in another one. */
export interface ReadScopes extends ShownComparisons {
  /** Tallies as they are, or those of an earlier moment. */
  readonly scopes: ReadonlyMap<StatementScope, ScopeTallies | KeptState>;
  /** What has been replaced since the earlier moments. */
  readonly replaced: ReplacedObjects;
  /** The mark with which to store the present tallies; undefined if the stored ones are recent enough. */
  readonly keepAt: FinishedMark | undefined;
}

/**
 * Stores the tallies of scopes that are read repeatedly. Adding up all comparisons takes time in proportion to their
 * number. From the tallies of an earlier moment, only the objects that were replaced since are subtracted, as they
 * were, and added, as they are.
 */
@Injectable()
export class KeptTallies {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLoop: EventLoopScheduler,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'historyTtlMs'>,
  ) {}

  /**
   * Reads scopes in the caller's snapshot: together all whose tallies are kept, or else the first one, by adding up all
   * comparisons.
   */
  async read(
    tx: CustomerTransaction,
    scopes: readonly StatementScope[],
    shown: ShownComparisons,
  ): Promise<ReadScopes> {
    const { asOf, known, hasFollowed } = shown;
    const kept = hasFollowed ? await this.kept(tx, scopes, shown) : undefined;
    const isGoodEnough = kept !== undefined && kept.rows <= KEPT_AGAIN;
    const keepAt = hasFollowed && !isGoodEnough ? await presentMarkOf(tx) : undefined;
    if (kept !== undefined) return { ...shown, ...kept, keepAt };
    const [first] = scopes;
    const whole = first && ([[first, await readTallies(tx, first, known.rates, asOf)]] as const);
    return { ...shown, scopes: new Map(whole), replaced: new ReplacedObjects(noRows), keepAt };
  }

  /**
   * The present tallies of the scopes that were read, without ages. Computes them in turns of the event loop, without a
   * connection, and then stores them if {@link ReadScopes.keepAt} is set.
   */
  async tallies(customerId: string, read: ReadScopes): Promise<ReadonlyMap<StatementScope, ScopeTallies>> {
    const { scopes, replaced, known, asOf, keepAt } = read;
    const present = new Map<StatementScope, ScopeTallies>();
    for (const [scope, tallies] of scopes) {
      await this.eventLoop.waitToContinue(customerId);
      present.set(
        scope,
        'mark' in tallies ? replaced.replacedIn(tallies, scope, known.rates, asOf) : tallies,
      );
    }
    if (keepAt !== undefined) {
      const { fingerprint } = known;
      const states = [...present].map(([scope, { tallies, currencies }]): KeptState => {
        return { ...keepAt, scope: nameOf(scope), asOf, fingerprint, tallies, currencies };
      });
      await this.unitOfWork.runFor(customerId, (tx) => keepStates(tx, states));
    }
    return present;
  }

  /**
   * The scopes whose stored tallies can be updated with little work, with the number of rows that were replaced since
   * the earliest of them; undefined if there are none.
   */
  private async kept(
    tx: CustomerTransaction,
    scopes: readonly StatementScope[],
    { asOf, known: { fingerprint } }: ShownComparisons,
  ): Promise<(Pick<ReadScopes, 'scopes' | 'replaced'> & { readonly rows: number }) | undefined> {
    const [states, since] = await Promise.all([
      keptStatesOf(tx, scopes.map(nameOf)),
      // Versions and reviews that ended before this time were removed.
      wholeSince(tx, this.environment.historyTtlMs),
    ]);
    let usable = scopes.flatMap((scope): [StatementScope, KeptState][] => {
      const state = states.get(nameOf(scope));
      const isRight = state?.fingerprint === fingerprint && state.asOf <= asOf;
      return isRight && (since === undefined || state.asOf >= since) ? [[scope, state]] : [];
    });
    while (usable.length > 0) {
      const begin = earliest(usable.map(([, state]) => state));
      const rows = await replacedSince(tx, begin, asOf, MOST_REPLACED);
      if (rows !== undefined) {
        const replaced = new ReplacedObjects(await lastingRows(tx, [...new Set(rows)], begin.mark));
        return { scopes: new Map(usable), replaced, rows: rows.length };
      }
      usable = usable.filter(([, { mark }]) => mark > begin.mark);
    }
    return undefined;
  }
}

const noRows = { pairs: [], cases: [], acceptances: [] } as const;

/** The earliest mark and the earliest time of reviews: a moment that none of the given ones precedes. */
function earliest(moments: readonly ComparedMoment[]): ComparedMoment {
  const least = (times: readonly string[]): string =>
    times.reduce((one, other) => (one < other ? one : other));
  return { mark: least(moments.map(({ mark }) => mark)), asOf: least(moments.map(({ asOf }) => asOf)) };
}

function nameOf({ left, right, types, projectId, currency, through }: StatementScope): string {
  return JSON.stringify([VERSION, left, right, types, projectId ?? null, currency, through ?? null]);
}
