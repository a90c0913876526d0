import type { CallKind } from '../transport/platform-request';
import { pruned, type SlidingCount } from './sliding-count';
import type { RateLimitRules, WindowRule } from './rules';

/** A call that was let in and has not left. */
export interface CallInFlight {
  readonly id: string;
  readonly kind: CallKind;
  /** When its place is free again, even if nobody says that it left. */
  readonly until: number;
}

/** Calls of others with the same credential, as far as a platform's answers show them. */
export interface CallsOfOthers {
  readonly calls: number;
  /** When the window begins anew for the platform. */
  readonly until: number;
}

export interface WindowState {
  /** Calls of ours that have left. */
  readonly left: SlidingCount;
  /** The limit that the platform named last; null before it named any. */
  readonly limit: number | null;
  /** Calls that it allows at least, as answers about another window show while the platform has named no limit. */
  readonly atLeast?: number;
  readonly others: CallsOfOthers | null;
}

/** Calls of one customer that wait in one process. */
export interface WaitingCalls {
  /** The process. */
  readonly who: string;
  /** The customer. */
  readonly party: string;
  readonly kind: CallKind;
  readonly count: number;
  /** The turn at which they began to wait. */
  readonly since: number;
  /** When they do not count any more, unless the process asks again. */
  readonly until: number;
}

/** All that a rate limiter remembers. It is stored as JSON. Moments are milliseconds of Unix time by the database's clock. */
export interface LimiterState {
  /** Of the form of this type. One of another form is forgotten. */
  readonly form: typeof STATE_FORMAT;
  /** The last visit. */
  readonly at: number;
  readonly inside: readonly CallInFlight[];
  /** By the name of their rule. */
  readonly windows: Readonly<Record<string, WindowState>>;
  /** Tokens at the last visit. */
  readonly tokens: number;
  /** Nobody is let in before. */
  readonly pausedUntil: number;
  /** Refusals since the last success. */
  readonly refusals: number;
  readonly waiting: readonly WaitingCalls[];
  /** Calls that were let in so far. */
  readonly turn: number;
  /** The turn of the last call of each customer, as far as it is remembered. */
  readonly served: Readonly<Record<string, number>>;
}

export const STATE_FORMAT = 2;

/** A clock that is further back than this was set back; less is the disagreement of two readings. Milliseconds. */
const SET_BACK_MS = 10_000;

const untouched: WindowState = { left: [], limit: null, others: null };

/** How many calls a window allows: what the platform named last, else what its rule says or answers have shown. */
export function limitOf(rule: WindowRule, window: WindowState | undefined): number {
  return window?.limit ?? Math.max(rule.limit, window?.atLeast ?? 0);
}

/** The state of a rate limiter that nobody has passed yet. */
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

/** A state as it is now: what has run out is gone, the tokens are there. Places that ran out count as calls that left. */
export function stateNow(stored: LimiterState, rules: RateLimitRules, clock: number): LimiterState {
  // Where the clock was set back, as by a change to another server, all moments go back with it.
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
