import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Store } from '../../database/unit-of-work';
import { ApiError } from '../../errors/api-error';
import { LoopTime } from '../../fairness/loop-time';
import { decodeCursor, encodeCursor, Paged, PAGE_SIZE } from '../../http/paging';
import { HISTORY_LIFE_MS } from '../../records/history-life';
import { objectNamed } from '../object-records';
import { isCanonicalId } from '../single-reads.service';
import type { HistoryQuery } from '../objects.dto';
import { differenceOf } from './difference';
import type { HistoryEntry } from './history.answer';
import { momentsBefore, type MomentRow } from './moments';
import { originsAt, outcomesNow, type Origin } from './origins';
import { statesAt, type States } from './states';

/** Times whose states are read in one go: an object may have records of 256 KB. */
const STEP = 12;

/** Steps of one page. Of most changes something shows, so a page is mostly full long before. */
const MOST_STEPS = 16;

/** Later than every change. */
const END = '9999-12-31T00:00:00.000000Z';

/** What a step has come to. */
interface Step {
  readonly entries: readonly HistoryEntry[];
  /** The time before which the next step goes on; undefined when there is no more. */
  readonly next: string | undefined;
}

/** What changed an object, and what each change did to it. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly loopTime: LoopTime,
  ) {}

  /**
   * A page of an object's history, newest first. It is made of the versions of its records, of what they take from others
   * and of the terms: each state is made by the code that makes the present one, and compared with the one before it. What
   * shows no difference has no entry, so a write of ours that a later reading brings back is not there twice.
   *
   * @param id of the object, or an alias
   * @throws ApiError NOT_FOUND without such an object; 400 for a cursor of another history
   */
  async page(
    customerId: string,
    id: string,
    { limit, cursor }: HistoryQuery,
    signal: AbortSignal,
  ): Promise<Paged<readonly HistoryEntry[]>> {
    const bound = { history: id };
    const [from] = cursor === undefined ? [END] : decodeCursor(cursor, bound, isMoment);
    const most = limit === undefined ? PAGE_SIZE.usual : Number(limit);
    const object = isCanonicalId(id) ? await this.find(customerId, id, signal) : undefined;
    if (object === undefined) throw new ApiError('NOT_FOUND', 'No object has this ID');
    const entries: HistoryEntry[] = [];
    let next: string | undefined = from;
    for (let step = 0; step < MOST_STEPS && next !== undefined && entries.length < most; step += 1) {
      const before: string = next;
      const found: Step = await this.run(customerId, signal, (store) =>
        readStep(store, customerId, object, before, most - entries.length),
      );
      entries.push(...found.entries);
      next = found.next;
      await this.loopTime.turnToGoOn(customerId);
    }
    return new Paged(entries, next === undefined ? null : encodeCursor(bound, [next]));
  }

  private async find(customerId: string, id: string, signal: AbortSignal): Promise<string | undefined> {
    const [row] = await this.unitOfWork.read<{ id: string }>(
      `select o.id from canonical_objects o where o.customer_id = $1 and o.id = ${objectNamed}`,
      [customerId, id],
      { customerId, signal },
    );
    return row?.id;
  }

  private run<T>(customerId: string, signal: AbortSignal, work: (store: Store) => Promise<T>): Promise<T> {
    const options = { customerId, isolation: 'REPEATABLE READ', readOnly: true, signal } as const;
    return this.unitOfWork.run(work, options);
  }
}

async function readStep(
  store: Store,
  customerId: string,
  object: string,
  before: string,
  most: number,
): Promise<Step> {
  const rows = await store.query<MomentRow>(momentsBefore, [
    customerId,
    object,
    before,
    Math.min(STEP, most) + 1,
    HISTORY_LIFE_MS,
  ]);
  const ids = rows[0]?.ids ?? [object];
  const times = rows.flatMap(({ at }) => (at === null ? [] : [at]));
  // The one that is too many is only compared with.
  const more = times.length > Math.min(STEP, most);
  const shown = more ? times.slice(0, -1) : times;
  const last = shown.at(-1);
  if (last === undefined) return { entries: [], next: undefined };
  const base = more ? [] : [justBefore(last)];
  const [states, origins] = await Promise.all([
    statesAt(store, customerId, ids, [...times, ...base]),
    originsAt(store, customerId, ids, shown),
  ]);
  const entries = entriesOf(object, ids, [...times, ...base], states, origins);
  const propagations = entries.flatMap(({ origin }) => origin.propagation_id ?? []);
  const outcomes = await outcomesNow(store, customerId, [...new Set(propagations)]);
  return {
    entries: entries.map((entry) => {
      const outcome = entry.origin.propagation_id && outcomes.get(entry.origin.propagation_id);
      return outcome ? { ...entry, outcomes: outcome } : entry;
    }),
    next: more ? last : undefined,
  };
}

/** @param times newest first; of the last only the state counts */
function entriesOf(
  object: string,
  ids: readonly string[],
  times: readonly string[],
  states: States,
  origins: ReadonlyMap<string, Origin>,
): readonly HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  for (const [place, at] of times.entries()) {
    const earlier = times[place + 1];
    if (earlier === undefined) break;
    for (const id of ids) {
      const [before, after] = [states.get(earlier)?.get(id), states.get(at)?.get(id)];
      // An ID that becomes an alias ends with the change that its object's records show.
      if (after === undefined && id !== object && states.get(at)?.has(object)) continue;
      const difference = differenceOf(before, after);
      if (difference === undefined) continue;
      const change = before === undefined ? 'appeared' : after === undefined ? 'disappeared' : 'changed';
      entries.push({
        at,
        canonical_id: id,
        change,
        origin: origins.get(at) ?? { type: 'unknown' },
        ...difference,
      });
    }
  }
  return entries;
}

// Times have six decimals, and so have those of the database.
function justBefore(time: string): string {
  const micros = Number(time.slice(-7, -1));
  const second = Date.parse(`${time.slice(0, 19)}Z`);
  if (micros > 0) return `${time.slice(0, -7)}${String(micros - 1).padStart(6, '0')}Z`;
  return `${new Date(second - 1_000).toISOString().slice(0, 19)}.999999Z`;
}

function isMoment(position: readonly unknown[]): position is readonly [string] {
  return (
    position.length === 1 &&
    typeof position[0] === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(position[0])
  );
}
