import type { CallKind } from '../transport/platform-request';
import { FORM, freshState, stateAt, type GateState } from './gate-state';
import { left, withoutExpired, type Leave } from './leaving';
import { reserveOf, type GateRules, type WindowRule } from './rules';
import { countSince } from './sliding-count';

/** How long a place is kept without a word of its holder, in milliseconds. */
export const PLACE_MS = 20_000;

/** How long waiting writes are remembered beyond the moment at which they were told to come again, in milliseconds. */
export const WRITERS_GRACE_MS = 2_000;

/** After so many milliseconds a process asks again at the latest: others may have left, or told something new. */
export const LONGEST_WAIT_MS = 30_000;

/** What one process has to tell a gate, and wants of it. */
export interface Visit {
  /** The process. */
  readonly who: string;
  readonly leaves: readonly Leave[];
  /** Its places, to be kept. */
  readonly inside: readonly string[];
  /** Those that want to be let in, by ID, in their order. */
  readonly asks: Readonly<Record<CallKind, readonly string[]>>;
  /** From 0 to below 1. */
  readonly jitter: number;
}

/** Why somebody is not let in. With `full` and `writers` nobody knows how long it takes. */
export interface Wait {
  readonly why: 'pause' | 'window' | 'bucket' | 'full' | 'writers';
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
  state = { ...state, writers: state.writers.filter((writers) => writers.who !== who) };

  const granted: string[] = [];
  const waits: { write?: Wait; read?: Wait } = {};
  for (const [index, id] of asks.write.entries()) {
    const wait = obstacle(rules, state, 'write');
    if (wait === undefined) {
      state = entered(state, rules, id, 'write');
      granted.push(id);
    } else {
      waits.write = wait;
      const until = state.at + Math.min(wait.ms, LONGEST_WAIT_MS) + WRITERS_GRACE_MS;
      state = { ...state, writers: [...state.writers, { who, count: asks.write.length - index, until }] };
      break;
    }
  }
  for (const id of asks.read) {
    const wait = obstacle(rules, state, 'read');
    if (wait !== undefined) {
      waits.read = wait;
      break;
    }
    state = entered(state, rules, id, 'read');
    granted.push(id);
  }
  return { state, granted, waits };
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

/** Why one more call of a kind cannot go in; undefined when it can. A read leaves room for all writes that wait. */
function obstacle(rules: GateRules, state: GateState, kind: CallKind): Wait | undefined {
  const { at, inside, tokens, pausedUntil } = state;
  if (pausedUntil > at) return { why: 'pause', ms: pausedUntil - at };
  const room = kind === 'read' ? state.writers.reduce((sum, { count }) => sum + count, 0) : 0;
  if (inside.length >= rules.atOnce) return { why: 'full', ms: LOOK_AGAIN_MS };
  if (inside.length + room >= rules.atOnce) return { why: 'writers', ms: LOOK_AGAIN_MS };
  const { bucket } = rules;
  if (bucket !== undefined && tokens < Math.min(1 + room, bucket.burst)) {
    return { why: 'bucket', ms: ((Math.min(1 + room, bucket.burst) - tokens) / bucket.perSecond) * 1000 };
  }
  const waits = rules.windows.flatMap((rule) => untilFree(rule, state, kind, room) ?? []);
  return waits.length === 0 ? undefined : { why: 'window', ms: Math.max(...waits) };
}

/** Milliseconds until a window has room for one more; undefined when it has. */
function untilFree(rule: WindowRule, state: GateState, kind: CallKind, room: number): number | undefined {
  const { at, inside } = state;
  const window = state.windows[rule.name];
  const limit = window?.limit ?? rule.limit;
  const most = limit - (kind === 'read' ? Math.max(reserveOf(rule, limit), room) : 0);
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
  // Calls under way are in the way, or writes that wait.
  return LOOK_AGAIN_MS;
}
