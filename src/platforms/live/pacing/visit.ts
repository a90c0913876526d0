import type { CallKind } from '../transport/platform-request';
import { FORM, freshState, limitOf, stateAt, type GateState } from './gate-state';
import { left, withoutExpired, type Leave } from './leaving';
import { reserveOf, type GateRules, type WindowRule } from './rules';
import { countSince } from './sliding-count';
import { goesFirst, linesOf, nextLine, placesLeft, served } from './turns';
import type { Ask, Line, PlacesLeft } from './turns';

/** How long a place is kept without a word of its holder, in milliseconds. */
export const PLACE_MS = 20_000;

/** How long those that wait are remembered beyond the moment at which they were told to come again, in milliseconds. */
export const WAITING_GRACE_MS = 2_000;

/** After so many milliseconds a process asks again at the latest: others may have left, or told something new. */
export const LONGEST_WAIT_MS = 30_000;

/** What one process has to tell a gate, and wants of it. */
export interface Visit {
  /** The process. */
  readonly who: string;
  readonly leaves: readonly Leave[];
  /** Its places, to be kept. */
  readonly inside: readonly string[];
  /** Those that want to be let in, in their order. */
  readonly asks: readonly Ask[];
  /** From 0 to below 1. */
  readonly jitter: number;
}

/** Why somebody is not let in. With `full` and `others`, whose turn is before, nobody knows how long it takes. */
export interface Wait {
  readonly why: 'pause' | 'window' | 'bucket' | 'full' | 'others';
  /** Milliseconds until it makes sense to ask again. */
  readonly ms: number;
}

export interface Verdict {
  readonly state: GateState;
  /** Those that are let in, by ID. */
  readonly granted: readonly string[];
  /** Of the first of a kind that is not let in. */
  readonly waits: Readonly<Partial<Record<CallKind, Wait>>>;
}

/** How long to wait where nobody knows how long it takes, in milliseconds. */
const LOOK_AGAIN_MS = 100;

/** Between two calls that try a window whose rule has turned out wrong. */
const TRIAL_MS = 10_000;

/**
 * One visit of a process at a gate.
 *
 * A call counts against a window from its entry until a whole length after it left: it may reach the platform at any moment
 * in between, so no stretch of that length ever sees more than the limit, wherever the platform's own window begins.
 *
 * @param stored undefined for a gate that is new
 * @param clock the database's, in milliseconds of Unix time
 */
export function visit(rules: GateRules, stored: GateState | undefined, clock: number, visit: Visit): Verdict {
  const { who, asks, jitter } = visit;
  const known = stored?.form === FORM ? stored : freshState(rules, clock);
  let state = kept(stateAt(known, rules, clock), new Set(visit.inside));
  for (const leave of visit.leaves) state = left(state, rules, leave, jitter);
  state = withoutExpired(state, rules);
  let lines = linesOf(state, who, asks);
  state = { ...state, waiting: state.waiting.filter((one) => one.who !== who) };

  const granted: string[] = [];
  const waits: { write?: Wait; read?: Wait } = {};
  for (;;) {
    // Where one of those that go first has to wait, all of them have to, and usual reads find no place either.
    const free = lines.filter(({ kind, ids }) => ids.length > 0 && waits[kind] === undefined);
    const first = free.filter((line) => goesFirst(state, line));
    const line = nextLine(state, first.length > 0 ? first : free);
    if (line === undefined) break;
    const wait = obstacle(rules, state, placesLeft(state, who, lines, line), goesFirst(state, line));
    if (wait !== undefined) {
      waits[line.kind] = wait;
      continue;
    }
    const [id = '', ...ids] = line.ids;
    state = served(entered(state, rules, id, line.kind), line.party);
    granted.push(id);
    lines = lines.map((one) => (one === line ? { ...one, ids } : one));
  }
  return { state: withWaiting(state, who, lines, waits), granted, waits };
}

/** The state with those that were not let in, so that other processes leave them their turns. */
function withWaiting(
  state: GateState,
  who: string,
  lines: readonly Line[],
  waits: Verdict['waits'],
): GateState {
  const waiting = lines.flatMap(({ kind, party, since, ids }) => {
    const until = state.at + Math.min(waits[kind]?.ms ?? 0, LONGEST_WAIT_MS) + WAITING_GRACE_MS;
    return ids.length === 0 ? [] : [{ who, party, kind, count: ids.length, since, until }];
  });
  return { ...state, waiting: [...state.waiting, ...waiting] };
}

function kept(state: GateState, ids: ReadonlySet<string>): GateState {
  const until = state.at + PLACE_MS;
  return { ...state, inside: state.inside.map((one) => (ids.has(one.id) ? { ...one, until } : one)) };
}

function entered(state: GateState, { bucket }: GateRules, id: string, kind: CallKind): GateState {
  return {
    ...state,
    inside: [...state.inside, { id, kind, until: state.at + PLACE_MS }],
    tokens: bucket === undefined ? 0 : state.tokens - 1,
  };
}

/**
 * Why one more call cannot go in; undefined when it can.
 *
 * @param left places that it leaves to others
 * @param isFirst whether it may use what usual reads leave of a window
 */
function obstacle(rules: GateRules, state: GateState, left: PlacesLeft, isFirst: boolean): Wait | undefined {
  const room = left.first + left.usual;
  const { at, inside, tokens, pausedUntil } = state;
  if (pausedUntil > at) return { why: 'pause', ms: pausedUntil - at };
  if (inside.length >= rules.atOnce) return { why: 'full', ms: LOOK_AGAIN_MS };
  if (inside.length + room >= rules.atOnce) return { why: 'others', ms: LOOK_AGAIN_MS };
  const { bucket } = rules;
  if (bucket !== undefined && tokens < Math.min(1 + room, bucket.burst)) {
    return { why: 'bucket', ms: ((Math.min(1 + room, bucket.burst) - tokens) / bucket.perSecond) * 1000 };
  }
  const waits = rules.windows
    .flatMap((rule) => {
      const wait = untilFree(rule, state, left, isFirst) ?? 0;
      return wait > 0 ? Math.min(wait, untilTrial(rule, state, room)) : [];
    })
    .filter((wait) => wait > 0);
  return waits.length === 0 ? undefined : { why: 'window', ms: Math.max(...waits) };
}

/** Milliseconds until a window has room for one more; undefined when it has. */
function untilFree(
  rule: WindowRule,
  state: GateState,
  { first, usual }: PlacesLeft,
  isFirst: boolean,
): number | undefined {
  const { at, inside } = state;
  const window = state.windows[rule.name];
  const limit = limitOf(rule, window);
  // Beyond what its rule says, the window is not near its end: then the platform would name it.
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
  // Calls under way are in the way, or those whose turn is before.
  return LOOK_AGAIN_MS;
}

/**
 * Milliseconds until one call may try a window that nobody has named a limit of and that has taken more calls than its rule
 * says. So the rule is wrong, and waiting for it would shut the gate for an hour; the answer to one call shows more.
 */
function untilTrial(rule: WindowRule, state: GateState, room: number): number {
  const window = state.windows[rule.name];
  const ended = window?.left ?? [];
  if (window?.limit !== null || countSince(ended, state.at - rule.lengthMs) <= rule.limit) return Infinity;
  if (state.inside.length > 0 || room > 0) return LOOK_AGAIN_MS;
  return Math.max(...ended.map(([endsAt]) => endsAt)) + TRIAL_MS - state.at;
}
