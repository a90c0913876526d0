import type { CallKind } from '../platform-request';
import {
  STATE_FORMAT,
  initialState,
  limitOf,
  stateNow,
  withCustomers,
  type LimiterState,
} from './limiter-state';
import { afterCallEnd, withoutExpired, type CallEnd } from './call-end';
import { reserveOf, type RateLimitRules, type WindowRule } from './rules';
import { countSince } from './sliding-count';
import {
  goesFirst,
  queuesOf,
  nextQueue,
  reservedCalls,
  afterTurn,
  type CallRequest,
  type CallQueue,
  type ReservedCalls,
} from './call-queues';

/** The lease of a call in flight that its process does not renew, in milliseconds. */
export const CALL_LEASE_MS = 20_000;

/** How long waiting calls are remembered after the time at which their process should ask again, in milliseconds. */
export const WAITING_GRACE_MS = 2_000;

/**
 * The longest time between two requests of a process with waiting calls, in milliseconds. Other processes may have
 * freed capacity or reported new facts meanwhile.
 */
export const LONGEST_WAIT_MS = 30_000;

/** The report and the request of one process. */
export interface LimiterRequest {
  /** The process. */
  readonly who: string;
  readonly ends: readonly CallEnd[];
  /** Calls in flight whose leases are to be renewed. */
  readonly inFlight: readonly string[];
  /** Waiting calls, in order of arrival. */
  readonly requests: readonly CallRequest[];
  /** From 0 to below 1. */
  readonly jitter: number;
}

/**
 * Why a call has to wait. With `full` and `others` the duration is unknown. `others` means that calls of other
 * customers are ahead.
 */
export interface Wait {
  readonly why: 'pause' | 'window' | 'bucket' | 'full' | 'others';
  /** Milliseconds until it makes sense to ask again. */
  readonly ms: number;
}

export interface LimiterDecision {
  readonly state: LimiterState;
  /** The IDs of the granted calls. */
  readonly granted: readonly string[];
  /** The wait of the first call of each kind that was not granted. */
  readonly waits: Readonly<Partial<Record<CallKind, Wait>>>;
}

/** The wait when the duration is unknown, in milliseconds. */
const POLL_MS = 100;

/** Between two calls that try a window whose rule has turned out wrong. */
const TRIAL_MS = 10_000;

/**
 * Decides on the request of one process.
 *
 * A call counts against a window from its grant until a whole window length after its end, because it may reach the
 * platform at any time in between. So no stretch of that length sees more calls than the limit, wherever the
 * platform's own window begins.
 *
 * @param stored undefined for a new rate limiter
 * @param clock the database's time, in milliseconds of Unix time
 */
export function decide(
  rules: RateLimitRules,
  stored: LimiterState | undefined,
  clock: number,
  request: LimiterRequest,
): LimiterDecision {
  const { who, requests, jitter } = request;
  const known = stored?.form === STATE_FORMAT ? withCustomers(stored) : initialState(rules, clock);
  let state = withRenewedLeases(stateNow(known, rules, clock), new Set(request.inFlight));
  for (const end of request.ends) state = afterCallEnd(state, rules, end, jitter);
  state = withoutExpired(state, rules);
  let queues = queuesOf(state, who, requests);
  state = { ...state, waiting: state.waiting.filter((one) => one.who !== who) };

  const granted: string[] = [];
  const waits: { write?: Wait; read?: Wait } = {};
  for (;;) {
    // If a prioritised call has to wait, all prioritised calls wait, and ordinary reads do not get a permit either.
    const free = queues.filter(({ kind, ids }) => ids.length > 0 && waits[kind] === undefined);
    const first = free.filter((queue) => goesFirst(state, queue));
    const queue = nextQueue(state, first.length > 0 ? first : free);
    if (queue === undefined) break;
    const wait = requiredWait(
      rules,
      state,
      reservedCalls(state, who, queues, queue),
      goesFirst(state, queue),
    );
    if (wait !== undefined) {
      waits[queue.kind] = wait;
      continue;
    }
    const [id = '', ...ids] = queue.ids;
    state = afterTurn(withCall(state, rules, id, queue.kind), queue);
    granted.push(id);
    queues = queues.map((one) => (one === queue ? { ...one, ids } : one));
  }
  return { state: withWaiting(state, who, queues, waits), granted, waits };
}

/** Adds the calls that were not granted, so that other processes leave them their turns. */
function withWaiting(
  state: LimiterState,
  who: string,
  queues: readonly CallQueue[],
  waits: LimiterDecision['waits'],
): LimiterState {
  const waiting = queues.flatMap(({ kind, customer, since, ids }) => {
    const until = state.at + Math.min(waits[kind]?.ms ?? 0, LONGEST_WAIT_MS) + WAITING_GRACE_MS;
    return ids.length === 0 ? [] : [{ who, customer, kind, count: ids.length, since, until }];
  });
  return { ...state, waiting: [...state.waiting, ...waiting] };
}

function withRenewedLeases(state: LimiterState, ids: ReadonlySet<string>): LimiterState {
  const until = state.at + CALL_LEASE_MS;
  return { ...state, inside: state.inside.map((one) => (ids.has(one.id) ? { ...one, until } : one)) };
}

function withCall(state: LimiterState, { bucket }: RateLimitRules, id: string, kind: CallKind): LimiterState {
  return {
    ...state,
    inside: [...state.inside, { id, kind, until: state.at + CALL_LEASE_MS }],
    tokens: bucket === undefined ? 0 : state.tokens - 1,
  };
}

/**
 * Why one more call cannot be granted; undefined if it can.
 *
 * @param reserved calls of others that must keep their capacity
 * @param isFirst whether the call may use the part of a window that ordinary reads leave
 */
function requiredWait(
  rules: RateLimitRules,
  state: LimiterState,
  reserved: ReservedCalls,
  isFirst: boolean,
): Wait | undefined {
  const kept = reserved.first + reserved.usual;
  const { at, inside, tokens, pausedUntil } = state;
  if (pausedUntil > at) return { why: 'pause', ms: pausedUntil - at };
  if (inside.length >= rules.mostAtOnce) return { why: 'full', ms: POLL_MS };
  if (inside.length + kept >= rules.mostAtOnce) return { why: 'others', ms: POLL_MS };
  const { bucket } = rules;
  const needed = bucket === undefined ? 0 : Math.min(1 + kept, bucket.burst);
  if (bucket !== undefined && tokens < needed) {
    return { why: 'bucket', ms: ((needed - tokens) / bucket.perSecond) * 1000 };
  }
  const waits = rules.windows
    .flatMap((rule) => {
      const wait = untilFree(rule, state, reserved, isFirst) ?? 0;
      return wait > 0 ? Math.min(wait, untilTrial(rule, state, kept)) : [];
    })
    .filter((wait) => wait > 0);
  return waits.length === 0 ? undefined : { why: 'window', ms: Math.max(...waits) };
}

/** Milliseconds until a window has room for one more; undefined when it has. */
function untilFree(
  rule: WindowRule,
  state: LimiterState,
  { first, usual }: ReservedCalls,
  isFirst: boolean,
): number | undefined {
  const { at, inside } = state;
  const window = state.windows[rule.name];
  const limit = limitOf(rule, window);
  // Responses about another window have shown a limit above the rule's. So this window is not the one nearest to its
  // end, which the platform would describe, and reads need not leave a part of it.
  const isShown = window?.limit === null && limit > rule.limit;
  const reserve = isFirst || isShown ? 0 : reserveOf(rule, limit);
  const most = limit - Math.max(reserve, first) - usual;
  const others = window?.others ?? null;
  const used = inside.length + countSince(window?.left ?? [], at - rule.lengthMs) + (others?.calls ?? 0);
  let excess = used + 1 - most;
  if (excess <= 0) return undefined;
  const ends = (window?.left ?? []).map(([endsAt, calls]) => [endsAt + rule.lengthMs, calls] as const);
  if (others !== null) ends.push([others.until, others.calls]);
  for (const [endsAt, calls] of ends.sort(([one], [other]) => one - other)) {
    excess -= calls;
    if (excess <= 0) return Math.max(endsAt - at, 1);
  }
  // Only calls in flight, or calls of others that are ahead, take the room. When they end is not known.
  return POLL_MS;
}

/**
 * Milliseconds until one call may test a window without a named limit that has already taken more calls than its rule
 * allows. The rule is wrong then, and obeying it would block the rate limiter for an hour. The response to one call
 * tells more.
 */
function untilTrial(rule: WindowRule, state: LimiterState, kept: number): number {
  const window = state.windows[rule.name];
  const ended = window?.left ?? [];
  if (window?.limit !== null || countSince(ended, state.at - rule.lengthMs) <= rule.limit) return Infinity;
  if (state.inside.length > 0 || kept > 0) return POLL_MS;
  return Math.max(...ended.map(([endsAt]) => endsAt)) + TRIAL_MS - state.at;
}
