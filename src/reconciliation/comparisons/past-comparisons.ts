import { Inject, Injectable } from '@nestjs/common';
import type { StoredEntityType } from '@app/mapper';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import type { CustomerTransaction } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { ApiError } from '../../common/errors/api-error';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import { refuseBeyond } from '../../records/history/history-horizon.repository';
import { currenciesThen } from '../../records/connections/connection-currencies.repository';
import { awaitSettled } from '../../records/changes/settled-time.repository';
import type { Converter } from '../statement/figures/conversion';
import { Freshness } from '../statement/freshness/freshness';
import { readPastObjects, readPastObjectsNamed, type PastPage } from './past-objects.repository';
import { comparedNow, withTimes, type ComparedResult } from './compared-rows';
import { objectsTouched, staleObjects } from './stale-comparisons.repository';
import { isMade, progressOf } from './comparison-states.repository';
import { comparisonContext, type ComparisonContext } from './comparison-context.repository';
import { StatementTimes } from '../statement/freshness/statement-times';

/** The state of the comparisons at a time. */
export interface Past {
  /** In UTC, with microseconds. */
  readonly time: string;
  /** Terms and currencies at that time. */
  readonly known: ComparisonContext;
  /**
   * Objects whose stored comparisons may differ from those at that time, by ID, in order. If undefined, all objects
   * have to be compared.
   */
  readonly touched: readonly string[] | undefined;
}

/**
 * Comparisons at a time in the past. The stored history never changes, so consecutive pages show one moment. Objects
 * without a later change have their stored comparisons; the others are compared by their records at that time. If too
 * many have changed, or the terms or a company's currency were different, all objects are compared.
 */
@Injectable()
export class PastComparisons {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLoop: EventLoopScheduler,
    private readonly freshness: Freshness,
    private readonly times: StatementTimes,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'historyTtlMs'>,
  ) {}

  /**
   * Reads the stored comparisons for a time, in one snapshot.
   *
   * @param time in UTC, with microseconds
   * @param read receives the state, and reads the rest in the same snapshot
   * @param gone ends the work when the client disconnects
   * @throws ApiError VALIDATION_ERROR for a future time; NOT_FOUND for a time before the retained history;
   *   EXTERNAL_SERVICE_ERROR while changes of that time are being written
   */
  async begin<T>(
    customerId: string,
    time: string,
    read: (tx: CustomerTransaction, past: Past) => Promise<T>,
    gone?: AbortSignal,
  ): Promise<{ readonly past: Past; readonly found: T }> {
    await awaitSettled(this.unitOfWork, customerId, time, gone);
    // If no usable comparisons are stored, the response waits for them as long as it can.
    const isMade = await this.read(customerId, time, (tx) => comparisonsAreMade(tx));
    if (!isMade) await this.freshness.follow(customerId);
    return this.read(customerId, time, async (tx) => {
      const known = {
        ...(await comparisonContext(tx, time)),
        currencies: await currenciesThen(tx, time),
      };
      const past = { time, known, touched: await this.touched(tx, time, known) };
      return { past, found: await read(tx, past) };
    });
  }

  /**
   * The objects without usable stored comparisons, compared by their records at that time. The next page is read while
   * the current one is compared.
   *
   * @param types the wanted types
   * @param convert for differences, and for amounts that cannot be converted
   * @throws ApiError EXTERNAL_SERVICE_ERROR if it takes too long; NOT_FOUND if retention deletes the records
   */
  async *compared(
    customerId: string,
    { time, known: { terms }, touched }: Past,
    types: readonly StoredEntityType[],
    convert: Converter,
    gone?: AbortSignal,
  ): AsyncGenerator<ComparedResult, void, undefined> {
    const deadline = performance.now() + this.times.past;
    const pages =
      touched === undefined
        ? this.allPages(customerId, time, types)
        : this.pagesOf(customerId, time, touched);
    for await (const page of pages) {
      gone?.throwIfAborted();
      if (performance.now() > deadline) throw tooLong(this.times.past);
      for (const rows of page.objects) {
        await this.eventLoop.waitToContinue(customerId);
        const [{ canonical_id: id }] = rows;
        const now = comparedNow(rows, page.candidates.get(id) ?? [], terms, convert);
        if (!types.includes(now.object.entityType)) continue;
        yield withTimes(now, rows, page.former.get(id) ?? [], terms, convert);
      }
    }
  }

  /** Reads in a snapshot whose history reaches back to the time. */
  read<T>(customerId: string, time: string, work: (tx: CustomerTransaction) => Promise<T>): Promise<T> {
    return this.unitOfWork.runFor(
      customerId,
      async (tx) => {
        await refuseBeyond(tx.store, customerId, time, this.environment.historyTtlMs);
        return work(tx);
      },
      { deadlines: 'bulk', readOnly: true, isolation: 'REPEATABLE READ' },
    );
  }

  private async touched(
    tx: CustomerTransaction,
    time: string,
    then: ComparisonContext,
  ): Promise<readonly string[] | undefined> {
    const now = await comparisonContext(tx);
    if (JSON.stringify(now.terms) !== JSON.stringify(then.terms)) return undefined;
    if ([...then.currencies].some(([platform, one]) => one !== now.currencies.get(platform)))
      return undefined;
    const progress = await progressOf(tx);
    if (!isMade(progress, now.fingerprint)) return undefined;
    const most = this.times.touched;
    // Stored comparisons do not include later changes, or the changes of marked objects.
    const changed = await objectsTouched(tx, [time, 'infinity'], most);
    const behind = progress.changed
      ? await objectsTouched(tx, [progress.changedUntil, 'infinity'], most)
      : [];
    const stale = progress.stale ? await staleObjects(tx, most + 1) : [];
    if (changed === undefined || behind === undefined) return undefined;
    const all = new Set([...changed, ...behind, ...stale]);
    if (all.size > most) return undefined;
    return [...all].toSorted((one, other) => (one < other ? -1 : 1));
  }

  private async *allPages(
    customerId: string,
    time: string,
    types: readonly StoredEntityType[],
  ): AsyncGenerator<PastPage, void, undefined> {
    const limit = this.times.page;
    const read = (after: string): Promise<PastPage> =>
      this.read(customerId, time, (tx) => readPastObjects(tx, { time, types, after, limit }));
    let ahead: Promise<PastPage> | undefined = read('');
    while (ahead !== undefined) {
      const page: PastPage = await ahead;
      ahead = page.next === undefined ? undefined : read(page.next);
      // A reader that wants no more pages does not want its failure either.
      ahead?.catch(() => undefined);
      yield page;
    }
  }

  private async *pagesOf(
    customerId: string,
    time: string,
    ids: readonly string[],
  ): AsyncGenerator<PastPage, void, undefined> {
    for (let place = 0; place < ids.length;) {
      const some = ids.slice(place, place + this.times.page);
      const page = await this.read(customerId, time, (tx) => readPastObjectsNamed(tx, some, time));
      yield page;
      place += page.ids.length;
    }
  }
}

async function comparisonsAreMade(tx: CustomerTransaction): Promise<boolean> {
  const { fingerprint } = await comparisonContext(tx);
  return isMade(await progressOf(tx), fingerprint);
}

function tooLong(limitMs: number): ApiError {
  return new ApiError(
    'EXTERNAL_SERVICE_ERROR',
    `The books of that time could not be put together within ${Math.round(limitMs / 1_000)} s; ask for one entity_type at a time`,
  );
}
