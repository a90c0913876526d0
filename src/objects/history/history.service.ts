import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment';
import { UnitOfWork, type Store } from '../../database/unit-of-work';
import { ApiError } from '../../errors/api-error';
import { LoopTime } from '../../fairness/loop-time';
import { decodeCursor, encodeCursor, Paged, PAGE_SIZE } from '../../http/paging';
import { timeFrom } from '../../http/time-parameter';
import { objectNamed } from '../object-records';
import { isCanonicalId } from '../single-reads.service';
import type { HistoryQuery } from '../objects.dto';
import { differenceOf } from './difference';
import type { HistoryEntry } from './history.answer';
import { momentsBefore, type MomentRow } from '../../history/moments';
import { originsAt, outcomesNow, type Origin } from './origins';
import type { ShownState } from '../../history/shown-state';
import { statesAt, type States } from '../../history/states';

/** Times whose states are read in one go: an object may have records of 256 KB. */
const STEP = 12;

/** Steps of one page. Of most changes something shows, so a page is mostly full long before. */
const MOST_STEPS = 16;

/** Where a history goes on: before a time, behind so many entries of the first one before it. */
type Place = readonly [before: string, given: number];

/** Later than every change. */
const END: Place = ['9999-12-31T00:00:00.000000Z', 0];

/** What a step has come to. */
interface Step {
  readonly entries: readonly HistoryEntry[];
  /** Undefined when there is no more. */
  readonly next: Place | undefined;
}

/** What changed an object, and what each change did to it. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly loopTime: LoopTime,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
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
    const from = cursor === undefined ? END : decodeCursor(cursor, bound, isPlace);
    const most = limit === undefined ? PAGE_SIZE.usual : Number(limit);
    const object = isCanonicalId(id) ? await this.find(customerId, id, signal) : undefined;
    if (object === undefined) throw new ApiError('NOT_FOUND', 'No object has this ID');
    const entries: HistoryEntry[] = [];
    let next: Place | undefined = from;
    for (let step = 0; step < MOST_STEPS && next !== undefined && entries.length < most; step += 1) {
      const place: Place = next;
      const found: Step = await this.run(customerId, signal, (store) =>
        readStep(store, customerId, object, place, {
          most: most - entries.length,
          life: this.environment.historyTtlMs,
        }),
      );
      entries.push(...found.entries);
      next = found.next;
      await this.loopTime.turnToGoOn(customerId);
    }
    return new Paged(entries, next === undefined ? null : encodeCursor(bound, next));
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
  [before, given]: Place,
  { most, life }: { readonly most: number; readonly life: number },
): Promise<Step> {
  const rows = await store.query<MomentRow>(momentsBefore, [customerId, object, before, STEP + 1, life]);
  const ids = rows[0]?.ids ?? [object];
  const times = rows.flatMap(({ at }) => (at === null ? [] : [at]));
  // The one that is too many is only compared with.
  const more = times.length > STEP;
  const shown = more ? times.slice(0, -1) : times;
  const last = shown.at(-1);
  if (last === undefined) return { entries: [], next: undefined };
  const base = more ? [] : [justBefore(last)];
  const [states, origins] = await Promise.all([
    statesAt(store, customerId, ids, [...times, ...base]),
    originsAt(store, customerId, ids, shown),
  ]);
  const all = entriesOf(ids, [...times, ...base], states, origins);
  const entries = all.slice(given, given + most);
  const propagations = entries.flatMap(({ origin }) => origin.propagation_id ?? []);
  const outcomes = await outcomesNow(store, customerId, [...new Set(propagations)]);
  return {
    entries: entries.map((entry) => {
      const outcome = entry.origin.propagation_id && outcomes.get(entry.origin.propagation_id);
      return outcome ? { ...entry, outcomes: outcome } : entry;
    }),
    next: placeBehind(all, given + entries.length) ?? (more ? [last, 0] : undefined),
  };
}

/** Where a history goes on in the middle of a step; undefined at its end. Several entries may be of one time. */
function placeBehind(all: readonly HistoryEntry[], given: number): Place | undefined {
  const next = all[given];
  if (next === undefined) return undefined;
  return [justAfter(next.at), all.slice(0, given).filter(({ at }) => at === next.at).length];
}

/** @param times newest first; of the last only the state counts */
function entriesOf(
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
      // An ID that becomes an alias ends with the change that the records of the other show.
      if (after === undefined && before !== undefined && wentOver(before, states.get(at))) continue;
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

function wentOver({ records }: ShownState, now: ReadonlyMap<string, ShownState> | undefined): boolean {
  const all = [...(now?.values() ?? [])].flatMap((state) => state.records);
  return records.every((one) =>
    all.some(({ platform, platform_id }) => platform === one.platform && platform_id === one.platform_id),
  );
}

// Times have six decimals, and so have those of the database.
function justBefore(time: string): string {
  const micros = Number(time.slice(-7, -1));
  return micros > 0 ? withMicros(time, micros - 1) : withMicros(secondsFrom(time, -1), 999_999);
}

function justAfter(time: string): string {
  const micros = Number(time.slice(-7, -1));
  return micros < 999_999 ? withMicros(time, micros + 1) : withMicros(secondsFrom(time, 1), 0);
}

function withMicros(time: string, micros: number): string {
  return `${time.slice(0, 19)}.${String(micros).padStart(6, '0')}Z`;
}

function secondsFrom(time: string, seconds: number): string {
  return new Date(Date.parse(`${time.slice(0, 19)}Z`) + seconds * 1_000).toISOString();
}

function isPlace(position: readonly unknown[]): position is Place {
  const [before, given] = position;
  return (
    position.length === 2 &&
    typeof before === 'string' &&
    timeFrom(before) === before &&
    Number.isSafeInteger(given) &&
    Number(given) >= 0
  );
}
