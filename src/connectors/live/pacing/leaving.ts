import { LONGEST_PAUSE_MS } from './asked-pause';
import type { GateState, Inside, Others, WindowState } from './gate-state';
import { askedPauseMs, type ResponseFacts, type WindowReport } from './response-facts';
import type { GateRules, WindowRule } from './rules';
import { counted, countSince, pieceMs } from './sliding-count';

/** The end of a call. */
export interface Leave {
  readonly id: string;
  /** `unsent`: nothing reached the platform, so nothing counts there. Null: no answer. */
  readonly facts: ResponseFacts | 'unsent' | null;
}

/** Two statements about the end of one window may differ by the rounding of both clocks. Milliseconds. */
const ROUNDING_MS = 1_500;

/** The state after a call has left. One whose place had run out only says what it learnt. */
export function left(state: GateState, rules: GateRules, { id, facts }: Leave, jitter: number): GateState {
  const gone = withoutPlace(state, rules, (inside) => inside.id === id, facts !== 'unsent');
  if (facts === 'unsent' || facts === null) return gone;
  const reported = facts.window === undefined ? gone : withReport(gone, rules, facts.window);
  return withVerdict(reported, rules, facts, jitter);
}

/** The state without the places that nobody keeps any more. Their calls may have reached the platform until then. */
export function withoutExpired(state: GateState, rules: GateRules): GateState {
  return withoutPlace(state, rules, ({ until }) => until <= state.at, true);
}

function withoutPlace(
  state: GateState,
  rules: GateRules,
  isGone: (inside: Inside) => boolean,
  counts: boolean,
): GateState {
  const inside = state.inside.filter((one) => !isGone(one));
  const calls = counts ? state.inside.length - inside.length : 0;
  const windows = Object.fromEntries(
    rules.windows.map((rule) => {
      const window = windowOf(state, rule);
      let { left: ended } = window;
      const piece = pieceMs(rule.lengthMs, window.limit ?? rule.limit);
      for (let call = 0; call < calls; call += 1) ended = counted(ended, state.at, piece);
      return [rule.name, { ...window, left: ended }];
    }),
  );
  return { ...state, inside, windows };
}

/** Our own calls are counted exactly, so a report matters for what it says about the limit and about others. */
function withReport(state: GateState, rules: GateRules, report: WindowReport): GateState {
  const rule = describedWindow(state, rules, report);
  if (rule === undefined) return state;
  const window = windowOf(state, rule);
  const next = { ...window, limit: report.limit, others: othersOf(state, rule, window, report) };
  return { ...state, windows: { ...state.windows, [rule.name]: next } };
}

/**
 * Which window a report is about: the one whose limit it names; else of those that can end then the one whose limit is
 * nearest in size, since limits change.
 */
function describedWindow(
  state: GateState,
  { windows }: GateRules,
  { limit, resetMs }: WindowReport,
): WindowRule | undefined {
  const limitOf = (rule: WindowRule): number => windowOf(state, rule).limit ?? rule.limit;
  const distance = (rule: WindowRule): number => Math.abs(Math.log(limit / limitOf(rule)));
  const canEndThen = ({ lengthMs }: WindowRule): boolean =>
    resetMs === undefined || resetMs <= lengthMs + ROUNDING_MS;
  const same = windows.filter((rule) => limitOf(rule) === limit);
  const possible = same.length > 0 ? same : windows.filter(canEndThen);
  return [...(possible.length > 0 ? possible : windows.slice(-1))].sort(
    (one, other) => distance(one) - distance(other),
  )[0];
}

function othersOf(
  state: GateState,
  { lengthMs }: WindowRule,
  { left: ended, others: known }: WindowState,
  { limit, remaining, resetMs }: WindowReport,
): Others | null {
  const rounding = Math.min(ROUNDING_MS, lengthMs / 4);
  const until = state.at + Math.min(resetMs ?? lengthMs, lengthMs);
  // At most so many of the platform's window are ours. Those under way may be among them.
  const own = countSince(ended, until - lengthMs - rounding) + state.inside.length;
  const calls = Math.max(0, limit - remaining - own);
  if (known === null || until > known.until + rounding) return calls === 0 ? null : { calls, until };
  // An answer that was overtaken by one of the next window.
  if (until < known.until - rounding) return known;
  return { calls: Math.max(calls, known.calls), until: Math.max(until, known.until) };
}

function withVerdict(
  state: GateState,
  { coolOff }: GateRules,
  facts: ResponseFacts,
  jitter: number,
): GateState {
  const isPaused = state.pausedUntil > state.at;
  if (!coolOff.statuses.includes(facts.status) && facts.retryAfterMs === undefined) {
    return facts.status < 400 && !isPaused ? { ...state, refusals: 0 } : state;
  }
  // Calls that were under way when the first was refused are refused too, and say nothing new.
  const refusals = isPaused ? Math.max(1, state.refusals) : state.refusals + 1;
  const backOff = Math.min(coolOff.mostMs, coolOff.firstMs * 2 ** Math.min(refusals - 1, 20));
  const pause = askedPauseMs(facts) ?? backOff * (1 + jitter / 4);
  const until = state.at + Math.min(pause + coolOff.marginMs * (1 + 3 * jitter), LONGEST_PAUSE_MS);
  return { ...state, pausedUntil: Math.max(state.pausedUntil, until), refusals };
}

function windowOf(state: GateState, { name }: WindowRule): WindowState {
  return state.windows[name] ?? { left: [], limit: null, others: null };
}
