import type { CallKind } from '../platform-request';
import { pruned, type SlidingCount } from './sliding-count';
import type { RateLimitRules, WindowRule } from './rules';

/** A call in flight. */
export interface CallInFlight {
  readonly id: string;
  readonly kind: CallKind;
  /** When its lease ends, even if no process reports its end. */
  readonly until: number;
}

/** Calls of other programs with the same credential, as far as the platform's responses show them. */
export interface CallsOfOthers {
  readonly calls: number;
  /** When the platform's window begins again. */
  readonly until: number;
}

export interface WindowState {
  /** Completed calls of this service. */
  readonly left: SlidingCount;
  /** The last limit that the platform stated; null before the first. */
  readonly limit: number | null;
  /**
   * A lower bound of the limit. It follows from responses about another window while the platform has stated no limit
   * for this one.
   */
  readonly atLeast?: number;
  readonly others: CallsOfOthers | null;
}

/** Waiting calls of one customer in one process. */
export interface WaitingCalls {
  /** The process. */
  readonly who: string;
  /** The customer. */
  readonly customer: string;
  readonly kind: CallKind;
  readonly count: number;
  /** The turn at which they began to wait. */
  readonly since: number;
  /** When they stop counting, unless the process renews them. */
  readonly until: number;
}

/** The state of a rate limiter, stored as JSON. Times are milliseconds of Unix time by the database's clock. */
export interface LimiterState {
  /** The format of this type. A state of another format is discarded. */
  readonly form: typeof STATE_FORMAT;
  /** The time of the last decision. */
  readonly at: number;
  readonly inside: readonly CallInFlight[];
  /** By the name of the window's rule. */
  readonly windows: Readonly<Record<string, WindowState>>;
  /** Tokens at the time of the last decision. */
  readonly tokens: number;
  /** No call may start before this time. */
  readonly pausedUntil: number;
  /** Refusals since the last success. */
  readonly refusals: number;
  readonly waiting: readonly WaitingCalls[];
  /** The number of calls granted so far. */
  readonly turn: number;
  /** The turn of each customer's last call, for recent customers. */
  readonly served: Readonly<Record<string, number>>;
  /** The turn of each customer's last read, for recent customers. */
  readonly servedReads?: Readonly<Record<string, number>>;
}

export const STATE_FORMAT = 2;

/** A larger step back means that the clock was set back; a smaller one is inaccuracy of reading it. Milliseconds. */
const SET_BACK_MS = 10_000;

const untouched: WindowState = { left: [], limit: null, others: null };

/**
 * The number of calls that a window allows: the last stated limit, otherwise the rule's limit or the observed lower
 * bound.
 */
export function limitOf(rule: WindowRule, window: WindowState | undefined): number {
  return window?.limit ?? Math.max(rule.limit, window?.atLeast ?? 0);
}

/** The state of a rate limiter before the first call. */
export function initialState(rules: RateLimitRules, now: number): LimiterState {
  return {
    form: STATE_FORMAT,
    at: now,
    inside: [],
    windows: Object.fromEntries(rules.windows.map(({ name }) => [name, untouched])),
    tokens: rules.bucket?.burst ?? 0,
    pausedUntil: 0,
    refusals: 0,
    waiting: [],
    turn: 0,
    served: {},
  };
}

/** Waiting calls as instances of an earlier release store them: `party` is the customer. */
type EarlierWaitingCalls = Omit<WaitingCalls, 'customer'> & { readonly party: string };

/** Renames what an instance of an earlier release stored. Both releases run at once while an update is rolled out. */
export function withCustomers(
  stored: Omit<LimiterState, 'waiting'> & {
    readonly waiting: readonly (WaitingCalls | EarlierWaitingCalls)[];
  },
): LimiterState {
  const waiting = stored.waiting.map((one) => {
    if ('customer' in one) return one;
    const { party: customer, ...calls } = one;
    return { ...calls, customer };
  });
  return { ...stored, waiting };
}

/**
 * Advances a state to the present: removes what has expired and adds tokens. Calls whose lease has expired count as
 * completed.
 */
export function stateNow(stored: LimiterState, rules: RateLimitRules, clock: number): LimiterState {
  // If the clock was set back, for instance by a change to another server, all times move back with it.
  const state = clock < stored.at - SET_BACK_MS ? shifted(stored, clock - stored.at) : stored;
  const now = Math.max(clock, state.at);
  const { bucket } = rules;
  const windows = Object.fromEntries(
    rules.windows.map(({ name, lengthMs }) => {
      const window = state.windows[name] ?? untouched;
      const others = window.others !== null && window.others.until > now ? window.others : null;
      return [name, { ...window, others, left: pruned(window.left, now, lengthMs) }];
    }),
  );
  return {
    ...state,
    at: now,
    windows,
    tokens:
      bucket === undefined
        ? 0
        : Math.min(bucket.burst, state.tokens + ((now - state.at) / 1000) * bucket.perSecond),
    waiting: state.waiting.filter(({ until }) => until > now),
  };
}

function shifted(state: LimiterState, ms: number): LimiterState {
  const later = <T extends { readonly until: number }>(one: T): T => ({ ...one, until: one.until + ms });
  return {
    ...state,
    at: state.at + ms,
    inside: state.inside.map(later),
    windows: Object.fromEntries(
      Object.entries(state.windows).map(([name, window]) => [
        name,
        {
          ...window,
          left: window.left.map(([endsAt, calls]) => [endsAt + ms, calls] as const),
          others: window.others && later(window.others),
        },
      ]),
    ),
    pausedUntil: state.pausedUntil + ms,
    waiting: state.waiting.map(later),
  };
}
