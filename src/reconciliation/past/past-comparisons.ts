import { Inject, Injectable } from '@nestjs/common';
import type { StoredEntityType } from '@app/mapper';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import type { CustomerTransaction } from '../../database/transaction/store';
import { LONG_SNAPSHOT, UnitOfWork } from '../../database/transaction/unit-of-work';
import { ApiError } from '../../common/errors/api-error';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import { refuseBeyond, wholeSince } from '../../records/history/history-horizon.repository';
import { currenciesThen } from '../../records/connections/connection-currencies.repository';
import { awaitSettled } from '../../records/history/settled-time.repository';
import type { Converter } from '../comparisons/conversion';
import { Freshness } from '../freshness/freshness';
import { readPastObjects, readPastObjectsNamed, type PastPage } from './past-objects.repository';
import { comparedNow, DatedObject, type ComparedResult } from '../comparisons/compared-rows';
import { noFormer, readFormer } from '../comparisons/stored/compared-objects.repository';
import { marksAround, type ComparisonMark } from '../comparisons/stored/comparison-marks.repository';
import { objectsTouched } from '../comparisons/stored/stale-comparisons.repository';
import {
  comparisonContext,
  currencyOfCases,
  type ComparisonContext,
} from '../comparisons/stored/comparison-context.repository';
import { StatementTimes } from '../freshness/statement-times';

/** Stored rows that are right for a time in the past. */
export interface KeptComparisons {
  /** They were in force at this mark. */
  readonly mark: string;
  /** IDs of the objects whose rows may be wrong for the time, in order. */
  readonly without: readonly string[];
}

/** The state of the comparisons at a time. */
export interface Past {
  /** In UTC, with microseconds. */
  readonly time: string;
  /** Terms and currencies at that time. */
  readonly known: ComparisonContext;
  /** Undefined if all objects have to be compared. */
  readonly kept: KeptComparisons | undefined;
}

/**
 * Comparisons at a past time. The stored history never changes, so consecutive pages show one moment. The rows that
 * were in force at the mark of a refresh show the time, except those of objects that changed between the mark and the
 * time, which are compared by their records at the time. If too many objects have changed, or no mark has the terms and
 * currencies of the time, all objects are compared.
 */
@Injectable()
export class PastComparisons {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLoop: EventLoopScheduler,
    private readonly freshness: Freshness,
    private readonly times: StatementTimes,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'historyTtlMs' | 'defaultCurrency'>,
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
    const attempt = <Result>(work: (tx: CustomerTransaction, past: Past) => Promise<Result>) =>
      this.read(customerId, time, async (tx) => work(tx, await this.pastAt(tx, time)));
    const begun = async (tx: CustomerTransaction, past: Past) => ({ past, found: await read(tx, past) });
    const first = await attempt(async (tx, past) => (past.kept === undefined ? undefined : begun(tx, past)));
    if (first !== undefined) return first;
    // No usable comparisons are stored, so the response waits for them as long as it can.
    await this.freshness.follow(customerId);
    return attempt(begun);
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
    { time, known: { terms }, kept }: Past,
    types: readonly StoredEntityType[],
    convert: Converter,
    gone?: AbortSignal,
  ): AsyncGenerator<ComparedResult, void, undefined> {
    const deadline = performance.now() + this.times.past;
    const pages =
      kept === undefined
        ? this.allPages(customerId, time, types)
        : this.pagesOf(customerId, time, kept.without);
    for await (const page of pages) {
      gone?.throwIfAborted();
      if (performance.now() > deadline) throw tooLong(this.times.past);
      for (const rows of page.objects) {
        await this.eventLoop.waitToContinue(customerId);
        const [{ canonical_id: id }] = rows;
        const now = comparedNow(rows, page.candidates.get(id) ?? [], terms, convert);
        if (!types.includes(now.object.entityType)) continue;
        const dated = new DatedObject(now, rows, terms, convert);
        dated.goBack(page.former.get(id) ?? noFormer);
        for (let { next } = dated; next !== undefined; { next } = dated) {
          if (performance.now() > deadline) throw tooLong(this.times.past);
          const place = next;
          const former = await this.read(customerId, time, (tx) => readFormer(tx, [place], time));
          await this.eventLoop.waitToContinue(customerId);
          dated.goBack(former.get(id) ?? noFormer);
        }
        yield dated.result();
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
      LONG_SNAPSHOT,
    );
  }

  private async pastAt(tx: CustomerTransaction, time: string): Promise<Past> {
    const known = {
      ...(await comparisonContext(tx, time)),
      currencies: await currenciesThen(tx, time),
    };
    return { time, known, kept: await this.keptFor(tx, time, known) };
  }

  private async keptFor(
    tx: CustomerTransaction,
    time: string,
    then: ComparisonContext,
  ): Promise<KeptComparisons | undefined> {
    const since = await wholeSince(tx, this.environment.historyTtlMs);
    // Changes before the retained history were removed, so a mark from before it counts only if it is the last one: no
    // refresh has included a change since.
    const marks = (await marksAround(tx, time)).filter(
      ({ mark }, place, { length }) => since === undefined || mark >= since || place === length - 1,
    );
    for (const { mark, readUntil } of marks.filter((one) => this.hasTermsOf(one, then))) {
      const window = [mark < time ? mark : time, readUntil > time ? readUntil : time] as const;
      const without = await objectsTouched(tx, window, this.times.touched);
      if (without !== undefined) return { mark, without };
    }
    return undefined;
  }

  /** Whether objects were compared as at another time: with the terms of then, and each platform with its currency. */
  private hasTermsOf({ termsDigest, currencies }: ComparisonMark, then: ComparisonContext): boolean {
    const currencyOf = (known: ComparisonContext['currencies']): string =>
      currencyOfCases(known, this.environment.defaultCurrency);
    return (
      termsDigest === then.termsDigest &&
      currencyOf(currencies) === currencyOf(then.currencies) &&
      [...currencies].every(([platform, currency]) => then.currencies.get(platform) === currency)
    );
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

function tooLong(limitMs: number): ApiError {
  return new ApiError(
    'EXTERNAL_SERVICE_ERROR',
    `The books of that time could not be put together within ${Math.round(limitMs / 1_000)} s; ask for one entity_type at a time`,
  );
}
