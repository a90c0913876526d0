import { LONGEST_PAUSE_MS } from './requested-pause';
import {
  limitOf,
  type LimiterState,
  type CallInFlight,
  type CallsOfOthers,
  type WindowState,
} from './limiter-state';
import { requestedPauseMs, type ResponseFacts, type WindowReport } from './response-facts';
import type { RateLimitRules, WindowRule } from './rules';
import { counted, countSince, pieceMs } from './sliding-count';

/** The end of a call. */
export interface CallEnd {
  readonly id: string;
  /** `unsent`: nothing reached the platform, so nothing counts there. Null: no response. */
  readonly facts: ResponseFacts | 'unsent' | null;
}

/**
 * The most milliseconds by which two reports about the end of one window may differ, because both the end and the time
 * of the response are whole seconds.
 */
const ROUNDING_MS = 2_000;

/** The state after the end of a call. If the call's lease had expired, only its facts are applied. */
export function afterCallEnd(
  state: LimiterState,
  rules: RateLimitRules,
  { id, facts }: CallEnd,
  jitter: number,
): LimiterState {
  const gone = withoutCalls(state, rules, (inside) => inside.id === id, facts !== 'unsent');
  if (facts === 'unsent' || facts === null) return gone;
  const reported = facts.window === undefined ? gone : withReport(gone, rules, facts.window);
  return withCoolOff(reported, rules, facts, jitter);
}

/** Removes the calls whose leases have expired. They may have reached the platform until then, so they count. */
export function withoutExpired(state: LimiterState, rules: RateLimitRules): LimiterState {
  return withoutCalls(state, rules, ({ until }) => until <= state.at, true);
}

function withoutCalls(
  state: LimiterState,
  rules: RateLimitRules,
  isGone: (inside: CallInFlight) => boolean,
  counts: boolean,
): LimiterState {
  const inside = state.inside.filter((one) => !isGone(one));
  const calls = counts ? state.inside.length - inside.length : 0;
  const windows = Object.fromEntries(
    rules.windows.map((rule) => {
      const window = windowOf(state, rule);
      let { left: ended } = window;
      const piece = pieceMs(rule.lengthMs, limitOf(rule, window));
      for (let call = 0; call < calls; call += 1) ended = counted(ended, state.at, piece);
      return [rule.name, { ...window, left: ended }];
    }),
  );
  return { ...state, inside, windows };
}

/** Our own calls are counted exactly, so a report matters for what it says about limits and about others. */
function withReport(state: LimiterState, rules: RateLimitRules, report: WindowReport): LimiterState {
  const rule = describedWindow(state, rules, report);
  if (rule === undefined) return state;
  const window = windowOf(state, rule);
  const next = { ...window, limit: report.limit, others: othersOf(state, rule, window, report) };
  const reported = { ...state, windows: { ...state.windows, [rule.name]: next } };
  return rules.headers?.nearest === true ? withLeastLimits(reported, rules, rule, report) : reported;
}

/**
 * What a report about one window tells about the windows whose limit the platform has not named. These are not nearer
 * to their end than the reported one, so they have no fewer calls left, or no larger part of them is used. Both are
 * assumed, because the header does not tell which of the two applies. So the limits of a platform that allows more than
 * usual are used fully even before it names them.
 */
function withLeastLimits(
  state: LimiterState,
  { windows }: RateLimitRules,
  described: WindowRule,
  { limit, remaining }: WindowReport,
): LimiterState {
  const usedPart = (limit - remaining) / limit;
  const shown = windows.flatMap((rule) => {
    const window = windowOf(state, rule);
    const own = ownSince(state, window, state.at - rule.lengthMs);
    const atLeast = Math.floor(Math.min(own + remaining, own / usedPart));
    return rule === described || window.limit !== null || atLeast <= limitOf(rule, window)
      ? []
      : [[rule.name, { ...window, atLeast }] as const];
  });
  return shown.length === 0
    ? state
    : { ...state, windows: { ...state.windows, ...Object.fromEntries(shown) } };
}

/**
 * The window that a report describes: of those that can end at the reported time, the one with the reported limit.
 * Limits change. If none has that limit, a report that ends soon describes the shortest window, if our own calls
 * explain the report or if the limit is too small for the next window. Otherwise it describes the window whose limit is
 * nearest in size.
 */
function describedWindow(
  state: LimiterState,
  { windows }: RateLimitRules,
  report: WindowReport,
): WindowRule | undefined {
  const { limit, remaining, resetMs } = report;
  const canEndThen = ({ lengthMs }: WindowRule): boolean =>
    resetMs === undefined || resetMs <= lengthMs + ROUNDING_MS;
  const possible = windows.filter(canEndThen);
  const [shortest, longer] = possible;
  if (shortest === undefined) return windows.at(-1);
  if (longer === undefined) return shortest;
  const named = possible.find((rule) => windowOf(state, rule).limit === limit);
  if (named !== undefined) return named;
  const own = ownSince(state, windowOf(state, shortest), state.at - shortest.lengthMs);
  if (resetMs !== undefined && limit - remaining <= own) return shortest;
  const sizeOf = (rule: WindowRule): number => limitOf(rule, windowOf(state, rule));
  const same = possible.find((rule) => sizeOf(rule) === limit);
  if (same !== undefined) return same;
  if (resetMs !== undefined && limit < sizeOf(longer)) return shortest;
  const distance = (rule: WindowRule): number => Math.abs(Math.log(limit / sizeOf(rule)));
  return [...possible].sort((one, other) => distance(one) - distance(other))[0];
}

/** Our calls since a moment that a window counts, those under way among them. */
function ownSince({ inside }: LimiterState, { left: ended }: WindowState, moment: number): number {
  return countSince(ended, moment) + inside.length;
}

function othersOf(
  state: LimiterState,
  { lengthMs }: WindowRule,
  window: WindowState,
  { limit, remaining, resetMs }: WindowReport,
): CallsOfOthers | null {
  const { others: known } = window;
  const rounding = Math.min(ROUNDING_MS, lengthMs / 4);
  const until = state.at + Math.min(resetMs ?? lengthMs, lengthMs);
  // The platform may already have counted our calls in flight. Counting all of them as ours may show too few of others.
  const own = ownSince(state, window, until - lengthMs - rounding);
  const calls = Math.max(0, limit - remaining - own);
  if (known === null || until > known.until + rounding) return calls === 0 ? null : { calls, until };
  // This response is about the window before: a response about the present one has overtaken it.
  if (until < known.until - rounding) return known;
  return { calls: Math.max(calls, known.calls), until: Math.max(until, known.until) };
}

function withCoolOff(
  state: LimiterState,
  { coolOff }: RateLimitRules,
  facts: ResponseFacts,
  jitter: number,
): LimiterState {
  const isPaused = state.pausedUntil > state.at;
  if (!coolOff.statuses.includes(facts.status) && facts.retryAfterMs === undefined) {
    return facts.status < 400 && !isPaused ? { ...state, refusals: 0 } : state;
  }
  // Calls that were in flight at the first refusal are refused too. They count as one refusal with it.
  const refusals = isPaused ? Math.max(1, state.refusals) : state.refusals + 1;
  const asked = requestedPauseMs(facts);
  // A time that has passed may come from rounding. If calls are refused even then, it says nothing.
  const before = asked === 0 ? refusals - 2 : refusals - 1;
  const backOff = before < 0 ? 0 : Math.min(coolOff.mostMs, coolOff.firstMs * 2 ** Math.min(before, 20));
  const pause = asked === undefined || asked === 0 ? backOff * (1 + jitter / 4) : asked;
  const until = state.at + Math.min(pause + coolOff.marginMs * (1 + 3 * jitter), LONGEST_PAUSE_MS);
  return {
    ...state,
    // Any other status with `Retry-After` means that the platform is busy or down, and says nothing about its limits.
    windows: coolOff.statuses.includes(facts.status) ? withoutLeastLimits(state) : state.windows,
    pausedUntil: Math.max(state.pausedUntil, until),
    refusals,
  };
}

/** Forgets the lower bounds of limits, because a refusal contradicts them. */
function withoutLeastLimits({ windows }: LimiterState): LimiterState['windows'] {
  return Object.fromEntries(
    Object.entries(windows).map(([name, { left: ended, limit, others }]) => [
      name,
      { left: ended, limit, others },
    ]),
  );
}

function windowOf(state: LimiterState, { name }: WindowRule): WindowState {
  return state.windows[name] ?? { left: [], limit: null, others: null };
}
