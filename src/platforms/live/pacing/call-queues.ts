import type { CallKind } from '../transport/platform-request';
import type { LimiterState, WaitingCalls } from './limiter-state';

/** A call that wants to be let in. */
export interface CallRequest {
  readonly id: string;
  readonly kind: CallKind;
  /** Whose it is: the customer. Parties of one rate limiter take turns. */
  readonly party: string;
}

/** The calls of one kind and one party that ask in one visit. */
export interface CallQueue {
  readonly kind: CallKind;
  readonly party: string;
  /** The turn at which it began to wait. */
  readonly since: number;
  /** Those that are still to be let in, in their order. */
  readonly ids: readonly string[];
}

/** A read goes with the writes when its party had none of so many calls. Else writes of one customer could stop another's reads. */
export const LONG_WAIT_CALLS = 8;

/** A party that had none of so many calls is as good as new. */
const REMEMBERED_CALLS = 64;

/** The asks of a process as lines, in the order in which they came. */
export function queuesOf(
  state: LimiterState,
  who: string,
  requests: readonly CallRequest[],
): readonly CallQueue[] {
  const queues = new Map<string, { kind: CallKind; party: string; since: number; ids: string[] }>();
  for (const { id, kind, party } of requests) {
    const key = `${kind} ${party}`;
    const known = queues.get(key);
    if (known !== undefined) known.ids.push(id);
    else {
      const before = state.waiting.find((one) => one.who === who && one.kind === kind && one.party === party);
      queues.set(key, { kind, party, since: before?.since ?? state.turn, ids: [id] });
    }
  }
  return [...queues.values()];
}

/** Whether calls go before usual reads, and may use what those leave: writes do, and reads that were passed over too often. */
export function goesFirst(
  { turn, served }: LimiterState,
  { kind, party, since }: Pick<CallQueue, 'kind' | 'party' | 'since'>,
): boolean {
  return kind === 'write' || turn - Math.max(since, served[party] ?? 0) >= LONG_WAIT_CALLS;
}

/** The line whose turn it is: that of the party whose last call is longest ago. Undefined without lines. */
export function nextQueue(state: LimiterState, queues: readonly CallQueue[]): CallQueue | undefined {
  return queues.reduce<CallQueue | undefined>(
    (first, queue) => (first === undefined || isBefore(state, queue.party, first.party) ? queue : first),
    undefined,
  );
}

/** Places that a line leaves to others. */
export interface ReservedCalls {
  /** To calls that go before usual reads. What usual reads leave of a window serves these. */
  readonly first: number;
  /** To usual reads of others. */
  readonly usual: number;
}

/**
 * The places that a line leaves to others: one for each party of its kind that waits at another process and whose turn is
 * before; a usual read also leaves one for each call that goes first.
 *
 * @param queues all of this process
 */
export function reservedCalls(
  state: LimiterState,
  who: string,
  queues: readonly CallQueue[],
  queue: CallQueue,
): ReservedCalls {
  const elsewhere = state.waiting.filter((one) => one.who !== who);
  const isFirst = goesFirst(state, queue);
  const before = elsewhere.filter(
    (one) =>
      one.party !== queue.party &&
      goesFirst(state, one) === isFirst &&
      isBefore(state, one.party, queue.party),
  );
  const parties = new Set(before.map(({ party }) => party)).size;
  if (isFirst) return { first: parties, usual: 0 };
  const here = queues.map(({ ids, ...one }) => ({ ...one, count: ids.length }));
  const first = [...elsewhere, ...here]
    .filter((one) => one.count > 0 && goesFirst(state, one))
    .reduce((sum, one) => sum + firstCalls(one), 0);
  return { first, usual: parties };
}

/** Of reads that were passed over, one goes first; then the party has had a turn. */
function firstCalls({ kind, count }: Pick<WaitingCalls, 'kind' | 'count'>): number {
  return kind === 'write' ? count : 1;
}

/** The state after a party had a turn. */
export function afterTurn(state: LimiterState, party: string): LimiterState {
  const turn = state.turn + 1;
  const recent = Object.entries(state.served).filter(([, at]) => turn - at < REMEMBERED_CALLS);
  return { ...state, turn, served: { ...Object.fromEntries(recent), [party]: turn } };
}

function isBefore({ served: turns }: LimiterState, one: string, other: string): boolean {
  return (turns[one] ?? 0) < (turns[other] ?? 0);
}
