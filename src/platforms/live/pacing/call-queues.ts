import type { CallKind } from '../platform-request';
import type { LimiterState, WaitingCalls } from './limiter-state';

/** A waiting call. */
export interface CallRequest {
  readonly id: string;
  readonly kind: CallKind;
  /** The customer. Customers of one rate limiter take turns. */
  readonly customer: string;
}

/** The waiting calls of one kind and one customer in one request. */
export interface CallQueue {
  readonly kind: CallKind;
  readonly customer: string;
  /** The turn at which the queue began to wait. */
  readonly since: number;
  /** The calls that still wait, in order. */
  readonly ids: readonly string[];
}

/**
 * A read is prioritised like a write once none of so many calls was a read of its customer. Otherwise the writes of one
 * customer, each with several calls, could stop the reads of another, and its own.
 */
export const LONG_WAIT_CALLS = 8;

/** After so many calls without a turn a customer is forgotten, like a new one. */
const REMEMBERED_CALLS = 64;

/** Groups the waiting calls of a process into queues, in order of arrival. */
export function queuesOf(
  state: LimiterState,
  who: string,
  requests: readonly CallRequest[],
): readonly CallQueue[] {
  const queues = new Map<string, { kind: CallKind; customer: string; since: number; ids: string[] }>();
  for (const { id, kind, customer } of requests) {
    const key = `${kind} ${customer}`;
    const known = queues.get(key);
    if (known !== undefined) known.ids.push(id);
    else {
      const before = state.waiting.find(
        (one) => one.who === who && one.kind === kind && one.customer === customer,
      );
      queues.set(key, { kind, customer, since: before?.since ?? state.turn, ids: [id] });
    }
  }
  return [...queues.values()];
}

/**
 * Whether a queue is prioritised: writes are, and so are reads that were passed over too often. Prioritised calls may
 * use the part of a window that ordinary reads leave.
 */
export function goesFirst(
  { turn, servedReads }: LimiterState,
  { kind, customer, since }: Pick<CallQueue, 'kind' | 'customer' | 'since'>,
): boolean {
  return kind === 'write' || turn - Math.max(since, servedReads?.[customer] ?? 0) >= LONG_WAIT_CALLS;
}

/**
 * The next queue: that of the customer whose last call is longest ago, and of one customer the reads, which come so far only
 * after having been passed over. Undefined without queues.
 */
export function nextQueue(state: LimiterState, queues: readonly CallQueue[]): CallQueue | undefined {
  return queues.reduce<CallQueue | undefined>(
    (first, queue) =>
      first === undefined ||
      isBefore(state, queue.customer, first.customer) ||
      (queue.customer === first.customer && queue.kind === 'read')
        ? queue
        : first,
    undefined,
  );
}

/** Calls of others for which a queue leaves capacity. */
export interface ReservedCalls {
  /** Prioritised calls. They may use the part of a window that ordinary reads leave. */
  readonly first: number;
  /** Ordinary reads of others. */
  readonly usual: number;
}

/**
 * Counts the callers of the same kind that queue in other processes and are ahead of this queue. For an ordinary
 * read, every prioritised call counts too.
 *
 * @param queues all queues of this process
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
      one.customer !== queue.customer &&
      goesFirst(state, one) === isFirst &&
      isBefore(state, one.customer, queue.customer),
  );
  const customers = new Set(before.map(({ customer }) => customer)).size;
  if (isFirst) return { first: customers, usual: 0 };
  const here = queues.map(({ ids, ...one }) => ({ ...one, count: ids.length }));
  const first = [...elsewhere, ...here]
    .filter((one) => one.count > 0 && goesFirst(state, one))
    .reduce((sum, one) => sum + firstCalls(one), 0);
  return { first, usual: customers };
}

/** Of reads that were passed over, one is prioritised. Then the customer has had a turn. */
function firstCalls({ kind, count }: Pick<WaitingCalls, 'kind' | 'count'>): number {
  return kind === 'write' ? count : 1;
}

/** The state after a turn of a customer's queue. */
export function afterTurn(
  state: LimiterState,
  { kind, customer }: Pick<CallQueue, 'kind' | 'customer'>,
): LimiterState {
  const turn = state.turn + 1;
  const recent = (turns: Readonly<Record<string, number>> = {}) =>
    Object.fromEntries(Object.entries(turns).filter(([, at]) => turn - at < REMEMBERED_CALLS));
  return {
    ...state,
    turn,
    served: { ...recent(state.served), [customer]: turn },
    servedReads: { ...recent(state.servedReads), ...(kind === 'read' && { [customer]: turn }) },
  };
}

function isBefore({ served: turns }: LimiterState, one: string, other: string): boolean {
  return (turns[one] ?? 0) < (turns[other] ?? 0);
}
