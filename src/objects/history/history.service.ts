import { stringifyJson } from '@app/mapper';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import type { CustomerTransaction } from '../../database/transaction/store';
import { ONE_SNAPSHOT, UnitOfWork } from '../../database/transaction/unit-of-work';
import { ApiError } from '../../common/errors/api-error';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import { ResponseMemory, MADE_OF_STORED } from '../../common/response/memory/response-memory';
import { JsonBytes } from '../../common/response/handler-results';
import type { PendingResponse } from '../../common/response/memory/pending-response';
import { LARGEST_OBJECT } from '../listing/page-place';
import { Cursors, Paged, PAGE_SIZE } from '../../common/paging/paging';
import { isText, isTimeText } from '../../common/paging/sort-keys';
import { ObjectRecordsRepository } from '../single/object-records.repository';
import { isCanonicalId } from '../single/single-reads.service';
import type { HistoryQuery } from '../objects.dto';
import { differenceOf } from '../../records/history/difference';
import type { HistoryEntry } from './history.response';
import { readMoments, type AliasTime } from '../../records/history/moments.repository';
import { beforeHistory, wholeSince } from '../../records/history/history-horizon.repository';
import { originsAt, type Origin } from '../../records/history/change-origins.repository';
import { outcomesNow, type Outcomes } from './outcomes.repository';
import { statesAt, type States } from '../../records/history/states.repository';

/** Maximum number of times whose states are read at once. */
const STEP = 12;

/** Bytes of stored records that are read at once: an object may have records of 256 KB. */
const STEP_BYTES = 1024 * 1024;

/** Maximum bytes of JSON of a page. Its first entry is always included. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** Memory that is reserved for a page until it is made: its entries, one surplus entry, and the states of a step. */
const PAGE_MEMORY = PAGE_BYTES + 2 * LARGEST_OBJECT + MADE_OF_STORED * STEP_BYTES;

/** Maximum number of steps of one page. Most changes have a visible effect, so a page is usually full long before. */
const MOST_STEPS = 16;

/** The same of a page without an entry: rates that show in no record may change every day. */
const MOST_EMPTY_STEPS = 32;

/**
 * Where a history continues: before a time, and at the first time before it after the ID of the last entry, which is empty
 * if no entry of that time was given. Not a number of entries: a merge adds an ID, and its entries.
 */
type Place = readonly [before: string, id: string];

const cursors = new Cursors<Place>('history', [isTimeText, isText]);

/** Later than every change. */
const END: Place = ['9999-12-31T00:00:00.000000Z', ''];

/** The result of a step. */
interface Step {
  /** JSON text of each entry. */
  readonly entries: readonly Buffer[];
  /** Times whose states were read. */
  readonly times: number;
  /** Whether an entry was left out for lack of space. */
  readonly isFull: boolean;
  /** Undefined at the end of the history. */
  readonly next: Place | undefined;
}

/** The limits of a step. */
interface StepLimits {
  readonly entries: number;
  /** Of their JSON. The first entry of a page is always included. */
  readonly bytes: number;
  readonly isFirst: boolean;
  /** Times whose states are read. */
  readonly times: number;
  /** Milliseconds that history is kept; 0 for ever. */
  readonly life: number;
}

/** The changes of an object, and the effect of each. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLoop: EventLoopScheduler,
    private readonly memory: ResponseMemory,
    private readonly objects: ObjectRecordsRepository,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * A page of an object's history, newest first. It is derived from the versions of its records, of the values they
   * inherit and of the terms. Each state is made by the code that makes the present one, and compared with the previous
   * state. A change without a difference has no entry, so a write of this service that a later reading returns appears
   * only once.
   *
   * @param id of the object, or an alias
   * @throws ApiError NOT_FOUND if the object does not exist, and for a cursor that history no longer reaches back to;
   *   400 for a cursor of another history; Overloaded if no memory becomes free
   */
  async page(
    customerId: string,
    id: string,
    { limit, cursor }: HistoryQuery,
    answer: PendingResponse,
  ): Promise<Paged<JsonBytes>> {
    const { gone } = answer;
    const from = cursor === undefined ? END : cursors.decode(customerId, { id }, cursor);
    const most = limit ?? PAGE_SIZE.usual;
    const object = isCanonicalId(id) ? await this.find(customerId, id, gone) : undefined;
    if (object === undefined) throw new ApiError('NOT_FOUND', 'No object has this ID');
    await this.memory.reserve(answer, PAGE_MEMORY);
    const entries: Buffer[] = [];
    let [bytes, times] = [0, STEP];
    let next: Place | undefined = from;
    for (let step = 0; next !== undefined && entries.length < most; step += 1) {
      if (step >= (entries.length === 0 ? MOST_EMPTY_STEPS : MOST_STEPS)) break;
      const place: Place = next;
      const limits: StepLimits = {
        entries: most - entries.length,
        bytes: PAGE_BYTES - bytes,
        isFirst: entries.length === 0,
        times,
        life: this.environment.historyTtlMs,
      };
      const found: Step = await this.run(customerId, gone, (tx) => readStep(tx, object, place, limits));
      entries.push(...found.entries);
      bytes += found.entries.reduce((sum, entry) => sum + entry.length, 0);
      // The database measures each state. If few fit, few are requested.
      times = Math.min(STEP, 2 * found.times);
      next = found.next;
      if (found.isFull) break;
      await this.eventLoop.waitToContinue(customerId);
    }
    return new Paged(
      new JsonBytes(listOf(entries)),
      next === undefined ? null : cursors.encode(customerId, { id }, next),
    );
  }

  private find(customerId: string, id: string, signal: AbortSignal): Promise<string | undefined> {
    return this.objects.find(this.unitOfWork, customerId, id, signal);
  }

  private run<T>(
    customerId: string,
    signal: AbortSignal,
    work: (tx: CustomerTransaction) => Promise<T>,
  ): Promise<T> {
    return this.unitOfWork.runFor(customerId, work, {
      ...ONE_SNAPSHOT,
      signal,
    });
  }
}

async function readStep(
  tx: CustomerTransaction,
  object: string,
  place: Place,
  limits: StepLimits,
): Promise<Step> {
  const [before, given] = place;
  const since = await wholeSince(tx, limits.life);
  if (since !== undefined && before < since) throw beforeHistory(since);
  const rows = await readMoments(tx, object, { before, limit: limits.times + 1, since });
  const known = Object.entries(rows[0]?.ids ?? {});
  const aliasTimes = new Map(known.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  const ids = [...aliasTimes.keys()];
  const found = rows.flatMap(({ at }) => (at === null ? [] : [at]));
  const earliest = found.at(-1);
  if (earliest === undefined) return { entries: [], times: 0, isFull: false, next: undefined };
  // The last state is only used for the comparison.
  const more = found.length > limits.times;
  const asked = more ? found : [...found, justBefore(earliest)];
  const [{ states, times }, origins] = await Promise.all([
    statesAt(tx, ids, asked, STEP_BYTES),
    originsAt(tx, ids, asked.slice(0, -1)),
  ]);
  const latest = justBefore(before);
  const left = entriesOf(aliasTimes, times, states, origins).filter(
    ({ at, canonical_id: id }) => at !== latest || id > given,
  );
  const wanted = left.slice(0, limits.entries);
  const propagations = wanted.flatMap(({ origin }) => origin.propagation_id ?? []);
  const outcomes = await outcomesNow(tx, [...new Set(propagations)]);
  const entries = textsWithin(wanted, outcomes, limits);
  const last = times.at(-2);
  const isWhole = !more && times.length === asked.length;
  return {
    entries,
    times: times.length,
    isFull: entries.length < wanted.length,
    next:
      placeBehind(left, entries.length, place) ?? (isWhole || last === undefined ? undefined : [last, '']),
  };
}

/** The first entries, as JSON text with the outcomes of their propagations, as many as fit. */
function textsWithin(
  entries: readonly HistoryEntry[],
  outcomes: Outcomes,
  { bytes, isFirst }: StepLimits,
): readonly Buffer[] {
  const texts: Buffer[] = [];
  let left = bytes;
  for (const entry of entries) {
    const { propagation_id: id } = entry.origin;
    const outcome = id === undefined ? undefined : outcomes.get(id);
    const text = Buffer.from(stringifyJson(outcome === undefined ? entry : { ...entry, outcomes: outcome }));
    left -= text.length;
    if (left < 0 && !(isFirst && texts.length === 0)) break;
    texts.push(text);
  }
  return texts;
}

/** A JSON list of some texts, in pieces. */
function listOf(texts: readonly Buffer[]): readonly Buffer[] {
  const comma = Buffer.from(',');
  const pieces = texts.flatMap((text, place) => (place === 0 ? [text] : [comma, text]));
  return [Buffer.from('['), ...pieces, Buffer.from(']')];
}

/** Where a history continues in the middle of a step; undefined at its end. Several entries may have one time. */
function placeBehind(left: readonly HistoryEntry[], given: number, place: Place): Place | undefined {
  const [last, next] = [left[given - 1], left[given]];
  if (next === undefined || last === undefined) return next && place;
  return [justAfter(next.at), last.at === next.at ? last.canonical_id : ''];
}

/**
 * @param aliasTimes by ID, in the order of IDs: when it was an alias; never for the object itself
 * @param times newest first; of the last only the state counts
 */
function entriesOf(
  aliasTimes: ReadonlyMap<string, readonly AliasTime[]>,
  times: readonly string[],
  states: States,
  origins: ReadonlyMap<string, Origin>,
): readonly HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  for (const [place, at] of times.entries()) {
    const earlier = times[place + 1];
    if (earlier === undefined) break;
    for (const [id, merged] of aliasTimes) {
      // What happened to an ID after it was an alias for the last time belongs to another object.
      if (merged.length > 0 && merged.every(({ since, until }) => until !== null && since < at)) continue;
      const [before, after] = [states.get(earlier)?.get(id), states.get(at)?.get(id)];
      // The history of an ID ends when it becomes an alias. The records of the other object show the merge.
      if (after === undefined && merged.some((alias) => isAliasAt(alias, at))) continue;
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

function isAliasAt({ since, until }: AliasTime, at: string): boolean {
  return since <= at && (until === null || at < until);
}

// Times have six decimals, as in the database.
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
