import { randomUUID } from 'node:crypto';
import { isLockFailure } from '../../../database/connection/database-errors';
import { Overloaded } from '../../../runtime/fairness/overloaded';
import type { CallKind } from '../transport/platform-request';
import type { Time } from '../time';
import type { Leave } from './leaving';
import type { Ask } from './turns';
import { GateShut, type Permit } from './permit';
import { LONGEST_WAIT_MS, PLACE_MS, type Verdict, type Visit, type Wait } from './visit';

/** Somebody of this process who wants to be let in. */
interface Asker extends Ask {
  /** When it stops waiting, by the process' clock; Infinity for never. */
  readonly until: number;
  readonly enter: (permit: Permit) => void;
  readonly refuse: (error: Error) => void;
}

/** Makes one visit in the database. */
export type Visitor = (
  visit: Visit,
) => Promise<Pick<Verdict, 'granted' | 'waits'> & { readonly clock: number }>;

/** Places are kept by a visit after a part of the time that they last. */
const KEEP_AFTER_MS = PLACE_MS / 4;

/** After a visit that failed, in milliseconds. */
const FAILED_PAUSE_MS = 1_000;

/** After so many failures in a row nothing is told any more: the places have run out by themselves. */
const MOST_FAILURES = PLACE_MS / FAILED_PAUSE_MS;

/** Of those who wait, so many of a kind ask at once, of all parties. No gate has as many places. */
const MOST_ASKS = 50;

/** Between looks at a gate of which nobody knows when it has room, in milliseconds: each is half as long again as the last. */
const LONGEST_LOOK_MS = 1_000;

/** Why nobody waits any longer: the service is stopping. */
export class GateClosed extends Error {
  override readonly name = 'GateClosed';
}

/**
 * One gate as one process sees it. Those who want to be let in line up here, and one visit at a time asks the database for
 * all of them: what left goes with it, and so does the word that the process keeps its places.
 */
export class ProcessGate {
  private readonly waiting: Readonly<Record<CallKind, Map<string, Asker>>> = {
    write: new Map(),
    read: new Map(),
  };
  private readonly inside = new Set<string>();
  private leaves: Leave[] = [];
  /** The waits that the last visit named, by the process' clock; they keep newcomers from asking in vain. */
  private standing: Partial<Record<CallKind, number>> = {};
  /** Whether the last visit was told to wait: the database remembers it until the next. */
  private isExpected = false;
  private looks = 0;
  private failures = 0;
  private running: Promise<void> | undefined;
  private wake: () => void = () => undefined;
  private closed = false;

  /** @param idle called when nobody waits, nobody is inside and everything is told */
  constructor(
    private readonly who: string,
    private readonly visitor: Visitor,
    private readonly time: Time,
    private readonly idle: () => void,
  ) {}

  /**
   * Waits for a permit, behind those of its kind and party that came before.
   *
   * @param party whose call it is
   * @param patienceMs how long to wait; one who would certainly have to wait longer is told at once
   * @throws GateShut; the signal's reason when it aborts; what the database throws
   */
  enter(kind: CallKind, party: string, signal: AbortSignal, patienceMs: number): Promise<Permit> {
    return new Promise((resolve, reject) => {
      if (signal.aborted || this.closed) {
        reject(signal.aborted ? (signal.reason as Error) : closedError()); // Whoever aborts gives an Error.
        return;
      }
      const id = randomUUID();
      const end = (): void => {
        this.waiting[kind].delete(id);
        signal.removeEventListener('abort', giveUp);
      };
      const refuse = (error: Error): void => {
        end();
        reject(error);
      };
      const giveUp = (): void => {
        refuse(signal.reason as Error);
        // The next visit says that it does not wait any more; others may wait for that.
        this.go(true);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.waiting[kind].set(id, {
        id,
        kind,
        party,
        until: this.time.now() + patienceMs,
        refuse,
        enter: (permit) => {
          end();
          resolve(permit);
        },
      });
      // One without patience wants to know at once.
      this.go(patienceMs < Infinity || (this.standing[kind] ?? 0) <= this.time.now());
    });
  }

  /** Refuses those who wait, and tells the database what left. Resolves when that is done, or cannot be. */
  async close(): Promise<void> {
    this.closed = true;
    for (const { refuse } of this.askers()) refuse(closedError());
    this.wake();
    await this.running;
  }

  private askers(): readonly Asker[] {
    return [...this.waiting.write.values(), ...this.waiting.read.values()];
  }

  /** Sees to it that the visits go on; at once, if there is something to tell or a chance to be let in. */
  private go(now: boolean): void {
    if (this.running !== undefined) {
      if (now) this.wake();
      return;
    }
    this.running = this.run().finally(() => {
      this.running = undefined;
      if (this.isIdle()) this.idle();
      else if (!this.closed) this.go(true);
    });
  }

  private isIdle(): boolean {
    return !this.isExpected && this.askers().length + this.inside.size + this.leaves.length === 0;
  }

  private async run(): Promise<void> {
    while (!this.isIdle()) {
      const woken = new Promise<void>((resolve) => (this.wake = resolve));
      const pause = await this.turn();
      if (this.closed && (this.leaves.length === 0 || pause === FAILED_PAUSE_MS)) return;
      if (this.isIdle()) return;
      await this.rest(pause, woken);
    }
  }

  /** One visit. @returns milliseconds until the next, unless something happens before */
  private async turn(): Promise<number> {
    const leaves = this.leaves;
    this.leaves = [];
    const asks = [...firstOf(this.waiting.write), ...firstOf(this.waiting.read)];
    try {
      const visit = { who: this.who, leaves, inside: [...this.inside], asks, jitter: this.time.random() };
      const { granted, waits, clock } = await this.visitor(visit);
      this.failures = 0;
      this.isExpected = waits.write !== undefined || waits.read !== undefined;
      this.letIn(granted);
      return this.settle(waits, clock);
    } catch (error) {
      this.failures += 1;
      this.isExpected = false;
      this.leaves = this.failures < MOST_FAILURES ? [...leaves, ...this.leaves] : [];
      const now = this.time.now();
      for (const asker of this.askers()) {
        // Too much other work at once is no reason to break off a reading of hours.
        const waitsOn = (error instanceof Overloaded || isLockFailure(error)) && asker.until > now;
        if (!waitsOn) asker.refuse(error instanceof Error ? error : new Error(String(error)));
      }
      return FAILED_PAUSE_MS;
    }
  }

  private letIn(granted: readonly string[]): void {
    for (const id of granted) {
      const asker = this.waiting.write.get(id) ?? this.waiting.read.get(id);
      // It went while the visit was under way.
      if (asker === undefined) this.leaves.push({ id, facts: 'unsent' });
      else {
        this.inside.add(id);
        asker.enter({ leave: (facts) => this.leave({ id, facts }) });
      }
    }
    if (granted.length > 0) this.looks = 0;
  }

  private leave(leave: Leave): void {
    if (!this.inside.delete(leave.id)) return;
    this.leaves.push(leave);
    this.go(true);
  }

  /** Refuses those who would wait too long. @returns milliseconds until the next visit */
  private settle(waits: Verdict['waits'], clock: number): number {
    const now = this.time.now();
    this.standing = {};
    let pause = this.inside.size > 0 ? KEEP_AFTER_MS : LONGEST_WAIT_MS;
    for (const kind of ['write', 'read'] as const) {
      const wait = waits[kind];
      if (wait === undefined) continue;
      const ms = this.spread(wait);
      this.standing[kind] = now + ms;
      pause = Math.min(pause, ms);
      for (const asker of this.waiting[kind].values()) {
        const certain = wait.why === 'full' || wait.why === 'others' ? 0 : wait.ms;
        if (now + certain >= asker.until)
          asker.refuse(new GateShut(new Date(clock + Math.max(wait.ms, 1_000))));
        else pause = Math.min(pause, asker.until - now);
      }
    }
    return this.leaves.length > 0 ? 0 : pause;
  }

  /** A wait with a little chance in it, so that processes that were told the same do not come together. */
  private spread({ why, ms }: Wait): number {
    const random = this.time.random();
    if (why === 'full' || why === 'others') {
      this.looks += 1;
      return Math.min(LONGEST_LOOK_MS, ms * 1.5 ** Math.min(this.looks - 1, 20)) * (0.5 + random / 2);
    }
    return Math.min(ms, LONGEST_WAIT_MS) + random * Math.min(ms / 20, 50);
  }

  private async rest(ms: number, woken: Promise<void>): Promise<void> {
    const over = new AbortController();
    try {
      await Promise.race([woken, this.time.sleep(ms, over.signal).catch(() => undefined)]);
    } finally {
      over.abort(new Error('The rest is over'));
    }
  }
}

/** The first of each party, then the second of each, and so on. */
function firstOf(askers: ReadonlyMap<string, Asker>): readonly Ask[] {
  const lines = new Map<string, Ask[]>();
  for (const { id, kind, party } of askers.values()) {
    const line = lines.get(party) ?? [];
    if (line.length < MOST_ASKS) line.push({ id, kind, party });
    lines.set(party, line);
  }
  const first: Ask[] = [];
  for (let place = 0; place < MOST_ASKS && first.length < MOST_ASKS; place += 1) {
    for (const line of lines.values()) first.push(...line.slice(place, place + 1));
  }
  return first.slice(0, MOST_ASKS);
}

function closedError(): GateClosed {
  return new GateClosed('The service is stopping');
}
