import { Injectable } from '@nestjs/common';
import { platformNames, type PlatformName, type StoredEntityType } from '@app/mapper';
import { UnitOfWork, type Store } from '../database/unit-of-work';
import { invalidInput } from '../errors/api-error';
import { LoopTime } from '../fairness/loop-time';
import { currenciesThen } from '../records/connection-currencies';
import { absentPlacement } from '../records/placement-then';
import { gapsOf } from './completeness';
import { converterInto } from './conversion';
import { figuresOf } from './figures';
import { readPastObjects, type PastPage } from './past-objects.repository';
import { comparedNow, withTimes } from './refresh/compared-rows';
import { runsAt } from './runs-at.repository';
import { surroundingsOf, type Surroundings } from './refresh/surroundings';
import { statementFrom } from './statement-record';
import type { StatementAnswer } from './statement.answer';
import { TallyBook } from './tally';
import type { StatementScope } from './tallies.repository';

/** Objects that are compared in one go. */
const PAGE = 200;

type ScopeAt = (store: Store, known: Surroundings) => Promise<StatementScope>;

/**
 * Statements of times in the past. What was stored then never changes, so pages that are read one after the other show one
 * moment. Each object is compared as the present ones are; nothing is kept but the sums.
 */
@Injectable()
export class PastStatements {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly loopTime: LoopTime,
  ) {}

  /**
   * @param time in UTC, with microseconds
   * @throws ApiError VALIDATION_ERROR for a time to come; NOT_FOUND for a project that was not there
   */
  async statement(customerId: string, time: string, scopeAt: ScopeAt): Promise<StatementAnswer> {
    const begin = await this.read(customerId, async (store) => {
      const [clock] = await store.query<{ ahead: boolean }>('select $1::timestamptz > now() as ahead', [
        time,
      ]);
      if (clock?.ahead !== false) throw invalidInput(['as_of must not lie in the future']);
      const known = {
        ...(await surroundingsOf(store, customerId, time)),
        currencies: await currenciesThen(store, customerId, time),
      };
      const runs = await runsAt(store, customerId, time);
      return { known, runs, scope: await scopeAt(store, known) };
    });
    const { known, scope, runs } = begin;
    const book = new TallyBook(converterInto(scope.currency, known.rates), Date.parse(time));
    const currencies = new Set<string>();
    const deleted = new Map<StoredEntityType, Map<PlatformName, number>>();
    const connected = [...known.connectedAt].filter(([, since]) => since <= Date.parse(time));
    for (let after: string | undefined = ''; after !== undefined;) {
      const position: string = after;
      const page = await this.read(customerId, (store) =>
        readPastObjects(store, customerId, { time, after: position, limit: PAGE }),
      );
      await this.add(customerId, page, scope, known, { book, currencies });
      after = page.next;
    }
    for (const { entity_type, platform, count } of await this.read(customerId, (store) =>
      deletedAt(store, customerId, scope, time),
    )) {
      const own = deleted.get(entity_type) ?? new Map<PlatformName, number>();
      deleted.set(entity_type, own.set(platform, count));
    }
    return statementFrom({
      asOf: new Date(time).toISOString(),
      scope,
      figures: figuresOf(book.all, scope.types),
      deleted,
      currencies: [...currencies].toSorted(),
      rates: known.rates,
      reasons: gapsOf([scope.left, scope.right], new Set(connected.map(([platform]) => platform)), runs),
    });
  }

  private async add(
    customerId: string,
    page: PastPage,
    { left, right, types, projectId }: StatementScope,
    { terms }: Surroundings,
    sums: { readonly book: TallyBook; readonly currencies: Set<string> },
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
