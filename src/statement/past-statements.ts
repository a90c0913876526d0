import { Injectable } from '@nestjs/common';
import { platformNames, type PlatformName, type StoredEntityType } from '@app/mapper';
import { UnitOfWork, type Store } from '../database/unit-of-work';
import { ApiError, invalidInput } from '../errors/api-error';
import { LoopTime } from '../fairness/loop-time';
import { currenciesThen } from '../records/connection-currencies';
import { absentPlacement } from '../records/placement-then';
import { gapsOf } from './completeness';
import { converterInto } from './conversion';
import { figuresOf } from './figures';
import { Freshness } from './freshness';
import { readPastObjects, readPastObjectsNamed, type PastPage } from './past-objects.repository';
import { comparedNow, withTimes } from './refresh/compared-rows';
import { objectsTouched } from './refresh/marking';
import { isUpToDate, progressOf } from './refresh/state';
import { runsAt } from './runs-at.repository';
import { surroundingsOf, type Surroundings } from './refresh/surroundings';
import { statementFrom } from './statement-record';
import { StatementTimes } from './statement-times';
import type { StatementAnswer } from './statement.answer';
import { TallyBook } from './tally';
import { readTallies, type ScopeTallies, type StatementScope } from './tallies.repository';

type ScopeAt = (store: Store, known: Surroundings) => Promise<StatementScope>;

/** What is read first of a statement of the past. */
interface Begin {
  readonly known: Surroundings;
  readonly runs: Awaited<ReturnType<typeof runsAt>>;
  readonly scope: StatementScope;
  /** Undefined where all objects have to be compared. */
  readonly since: Since | undefined;
}

/** What changed since a time, and the sums of all the rest. */
interface Since {
  /** IDs, in order. */
  readonly touched: readonly string[];
  readonly rest: ScopeTallies;
}

/** What grows while objects are compared. */
interface Sums {
  readonly book: TallyBook;
  readonly currencies: Set<string>;
}

/**
 * Statements of times in the past. What was stored then never changes, so pages that are read one after the other show one
 * moment. Objects that nothing has touched since stand as they do now, by the stored comparisons; the others are compared as
 * they were. Where too many are touched, or the terms or a company's currency were others, all objects are. Nothing is kept but the sums.
 */
@Injectable()
export class PastStatements {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly loopTime: LoopTime,
    private readonly freshness: Freshness,
    private readonly times: StatementTimes,
  ) {}

  /**
   * @param time in UTC, with microseconds
   * @param gone ends the work when the client leaves
   * @throws ApiError VALIDATION_ERROR for a time to come; NOT_FOUND for a project that was not there;
   *   EXTERNAL_SERVICE_ERROR when it takes too long
   */
  async statement(
    customerId: string,
    time: string,
    scopeAt: ScopeAt,
    gone: AbortSignal,
  ): Promise<StatementAnswer> {
    await this.freshness.follow(customerId);
    const { known, scope, runs, since } = await this.begin(customerId, time, scopeAt);
    const book = new TallyBook(converterInto(scope.currency, known.rates), Date.parse(time));
    const sums: Sums = { book, currencies: new Set(since?.rest.currencies) };
    const deadline = performance.now() + this.times.past;
    const pages =
      since === undefined
        ? this.allPages(customerId, time, scope)
        : this.pagesOf(customerId, time, since.touched);
    for await (const page of pages) {
      gone.throwIfAborted();
      if (performance.now() > deadline) throw tooLong(this.times.past);
      await this.add(customerId, page, scope, known, sums);
    }
    const deleted = new Map<StoredEntityType, Map<PlatformName, number>>();
    for (const { entity_type, platform, count } of await this.read(customerId, (store) =>
      deletedAt(store, customerId, scope, time),
    )) {
      const own = deleted.get(entity_type) ?? new Map<PlatformName, number>();
      deleted.set(entity_type, own.set(platform, count));
    }
    const connected = [...known.connectedAt].filter(([, begin]) => begin <= Date.parse(time));
    return statementFrom({
      asOf: new Date(time).toISOString(),
      scope,
      figures: figuresOf([...(since?.rest.tallies ?? []), ...book.all], scope.types),
      deleted,
      currencies: [...sums.currencies].toSorted(),
      rates: known.rates,
      reasons: gapsOf([scope.left, scope.right], new Set(connected.map(([platform]) => platform)), runs),
    });
  }

  private begin(customerId: string, time: string, scopeAt: ScopeAt): Promise<Begin> {
    return this.read(customerId, async (store) => {
      const [clock] = await store.query<{ ahead: boolean }>('select $1::timestamptz > now() as ahead', [
        time,
      ]);
      if (clock?.ahead !== false) throw invalidInput(['as_of must not lie in the future']);
      const known = {
        ...(await surroundingsOf(store, customerId, time)),
        currencies: await currenciesThen(store, customerId, time),
      };
      const scope = await scopeAt(store, known);
      const runs = await runsAt(store, customerId, time);
      return { known, runs, scope, since: await this.since(store, customerId, time, known, scope) };
    });
  }

  /** What changed since, in the snapshot of the stored comparisons; undefined where these do not say how things stood. */
  private async since(
    store: Store,
    customerId: string,
    time: string,
    then: Surroundings,
    scope: StatementScope,
  ): Promise<Since | undefined> {
    const now = await surroundingsOf(store, customerId);
    if (JSON.stringify(now.terms) !== JSON.stringify(then.terms)) return undefined;
    if ([...then.currencies].some(([platform, one]) => one !== now.currencies.get(platform)))
      return undefined;
    if (!isUpToDate(await progressOf(store, customerId), now.fingerprint)) return undefined;
    const touched = await objectsTouched(store, [customerId, time, 'infinity'], this.times.touched);
    if (touched === undefined) return undefined;
    const rest = await readTallies(store, customerId, scope, then.rates, Date.parse(time), touched);
    return { touched, rest };
  }

  /** The next page is read while one is compared. */
  private async *allPages(
    customerId: string,
    time: string,
    { types }: StatementScope,
  ): AsyncGenerator<PastPage, void, undefined> {
    const limit = this.times.page;
    const read = (after: string): Promise<PastPage> =>
      this.read(customerId, (store) => readPastObjects(store, customerId, { time, types, after, limit }));
    let ahead: Promise<PastPage> | undefined = read('');
    while (ahead !== undefined) {
      const page: PastPage = await ahead;
      ahead = page.next === undefined ? undefined : read(page.next);
      // Whoever wants no more pages does not want its failure either.
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
      const page = await this.read(customerId, (store) =>
        readPastObjectsNamed(store, customerId, some, time),
      );
      yield page;
      place += page.ids.length;
    }
  }

  private async add(
    customerId: string,
    page: PastPage,
    { left, right, types, projectId }: StatementScope,
    { terms }: Surroundings,
    sums: Sums,
  ): Promise<void> {
    // Since when something is open has nothing to do with what converts.
    const convert = () => 0n;
    for (const rows of page.objects) {
      await this.loopTime.turnToGoOn(customerId);
      const [{ canonical_id: id }] = rows;
      const now = comparedNow(rows, page.candidates.get(id) ?? [], terms, convert);
      const { entityType } = now.object;
      if (!types.includes(entityType)) continue;
      if (projectId !== undefined && now.object.projectId !== projectId) continue;
      const { pairs } = withTimes(now, rows, page.former.get(id) ?? [], terms, convert);
      const pair = pairs.find((one) => one.left === left && one.right === right);
      if (pair === undefined) continue;
      for (const amount of [pair.leftAmount, pair.rightAmount]) {
        if (amount !== null) sums.currencies.add(amount.currency);
      }
      const { openedAt } = pair;
      sums.book.add({ ...pair, entityType, openedAt: openedAt === undefined ? undefined : openedAt / 1000 });
    }
  }

  private read<T>(customerId: string, work: (store: Store) => Promise<T>): Promise<T> {
    return this.unitOfWork.run(work, {
      customerId,
      patience: 'bulk',
      readOnly: true,
      isolation: 'REPEATABLE READ',
    });
  }
}

function tooLong(limitMs: number): ApiError {
  return new ApiError(
    'EXTERNAL_SERVICE_ERROR',
    `The books of that time could not be put together within ${Math.round(limitMs / 1_000)} s; ask for one entity_type at a time`,
  );
}

// A record was gone when it had been there before, and no version of it was there at the time.
const goneAt = `
  select v.entity_type, v.platform, count(*)::int as count
  from (
    select distinct on (n.platform, n.entity_type, n.platform_id) n.platform, n.entity_type, n.platform_id, n.until,
      n.canonical_id, n.project_canonical_id
    from record_versions n
    where n.customer_id = $1 and n.platform = any ($2::text[]) and n.entity_type = any ($3::text[])
      and n.since <= $5::timestamptz
    order by n.platform, n.entity_type, n.platform_id, n.since desc
  ) v
  where v.until <= $5::timestamptz
    and ($4::text is null or $4 = case when v.entity_type = 'project' then ${absentPlacement('v', 'canonical_id', '$5')}
      else ${absentPlacement('v', 'project_canonical_id', '$5')} end)
    and not exists (
    select from platform_records r
    where r.customer_id = $1 and r.platform = v.platform and r.entity_type = v.entity_type
      and r.platform_id = v.platform_id and r.since <= $5::timestamptz
  )
  group by v.entity_type, v.platform`;

function deletedAt(
  store: Store,
  customerId: string,
  { left, right, types, projectId }: StatementScope,
  time: string,
): Promise<readonly { entity_type: StoredEntityType; platform: PlatformName; count: number }[]> {
  return store.query(goneAt, [
    customerId,
    platformNames.filter((one) => one === left || one === right),
    types,
    projectId ?? null,
    time,
  ]);
}
