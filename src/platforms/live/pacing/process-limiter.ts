import { randomUUID } from 'node:crypto';
import { isLockFailure } from '../../../database/connection/database-errors';
import { Overloaded } from '../../../runtime/fairness/overloaded';
import type { CallKind } from '../platform-request';
import type { Time } from '../time';
import type { CallEnd } from './call-end';
import type { CallRequest } from './call-queues';
import { RateLimitWaitTooLong, type Permit } from './permit';
import {
  LONGEST_WAIT_MS,
  CALL_LEASE_MS,
  type LimiterDecision,
  type LimiterRequest,
  type Wait,
} from './limiter-decision';

/** A call of this process that waits for a permit. */
interface PendingCall extends CallRequest {
  /** When the call stops waiting, by the process' clock; Infinity for never. */
  readonly until: number;
  readonly grant: (permit: Permit) => void;
  readonly refuse: (error: Error) => void;
}

/** Performs one exchange with the shared state in the database. */
export type LimiterExchange = (
  request: LimiterRequest,
) => Promise<Pick<LimiterDecision, 'granted' | 'waits'> & { readonly clock: number }>;

/** Leases are renewed after this part of their duration. */
const KEEP_AFTER_MS = CALL_LEASE_MS / 4;

/** The pause after a failed exchange, in milliseconds. */
const FAILED_PAUSE_MS = 1_000;

/** After so many failures in a row unreported ends are dropped, because their leases have expired. */
const MOST_FAILURES = CALL_LEASE_MS / FAILED_PAUSE_MS;

/** The most waiting calls of a kind in one exchange, over all customers. No platform allows as many at once. */
const MOST_ASKS = 50;

/**
 * The longest pause between exchanges while the wait is unknown, in milliseconds. Each pause is half as long again as
 * the last.
 */
const LONGEST_POLL_MS = 1_000;

/** Rejects waiting calls when the service stops. */
export class RateLimiterStopped extends Error {
  override readonly name = 'RateLimiterStopped';
}

/**
 * The part of a rate limiter in one process. Calls wait here, and one exchange at a time asks the database for all of
 * them. The exchange also reports the calls that have ended and renews the leases of those in flight.
 */
export class ProcessLimiter {
  private readonly waiting: Readonly<Record<CallKind, Map<string, PendingCall>>> = {
    write: new Map(),
    read: new Map(),
  };
  private readonly inFlight = new Set<string>();
  private ends: CallEnd[] = [];
  /** The ends of the known waits, by the process' clock. A new call does not ask before them. */
  private knownWaits: Partial<Record<CallKind, number>> = {};
  /** Whether the database holds waiting calls of this process. The next exchange updates them. */
  private isQueued = false;
  private polls = 0;
  private failures = 0;
  private running: Promise<void> | undefined;
  private wake: () => void = () => undefined;
  private closed = false;

  /** @param onIdle called when no call waits, none is in flight and every end is reported */
  constructor(
    private readonly processId: string,
    private readonly exchange: LimiterExchange,
    private readonly time: Time,
    private readonly onIdle: () => void,
  ) {}

  /**
   * Waits for a permit, behind earlier calls of the same kind and customer.
   *
   * @param customer its ID
   * @param waitLimitMs how long to wait. A call that would certainly have to wait longer is rejected at once
   * @throws RateLimitWaitTooLong; the signal's reason when it aborts; errors of the database
   */
  acquire(kind: CallKind, customer: string, signal: AbortSignal, waitLimitMs: number): Promise<Permit> {
    return new Promise((resolve, reject) => {
      if (signal.aborted || this.closed) {
        reject(signal.aborted ? (signal.reason as Error) : closedError()); // Every abort gives an Error.
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
        // The next exchange withdraws the call. Other calls may wait for that.
        this.wakeUp(true);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.waiting[kind].set(id, {
        id,
        kind,
        customer,
        until: this.time.now() + waitLimitMs,
        refuse,
        grant: (permit) => {
          end();
          resolve(permit);
        },
      });
      // A call with a limited wait starts an exchange at once, although its kind may have to wait.
      this.wakeUp(waitLimitMs < Infinity || (this.knownWaits[kind] ?? 0) <= this.time.now());
    });
  }

  /** Rejects waiting calls and reports ended calls to the database. Resolves when that is done or has failed. */
  async close(): Promise<void> {
    this.closed = true;
    for (const { refuse } of this.pendingCalls()) refuse(closedError());
    this.wake();
    await this.running;
  }

  private pendingCalls(): readonly PendingCall[] {
    return [...this.waiting.write.values(), ...this.waiting.read.values()];
  }

  /** Starts the exchanges, or starts the next one at once if there is something to report or a chance of a permit. */
  private wakeUp(now: boolean): void {
    if (this.running !== undefined) {
      if (now) this.wake();
      return;
    }
    this.running = this.run().finally(() => {
      this.running = undefined;
      if (this.isIdle()) this.onIdle();
      else if (!this.closed) this.wakeUp(true);
    });
  }

  private isIdle(): boolean {
    return !this.isQueued && this.pendingCalls().length + this.inFlight.size + this.ends.length === 0;
  }

  private async run(): Promise<void> {
    while (!this.isIdle()) {
      const woken = new Promise<void>((resolve) => (this.wake = resolve));
      const pause = await this.runExchange();
      if (this.closed && (this.ends.length === 0 || pause === FAILED_PAUSE_MS)) return;
      if (this.isIdle()) return;
      await this.rest(pause, woken);
    }
  }

  /** Performs one exchange. @returns milliseconds until the next one, unless something happens before */
  private async runExchange(): Promise<number> {
    const ends = this.ends;
    this.ends = [];
    const requests = [...firstOf(this.waiting.write), ...firstOf(this.waiting.read)];
    try {
      const request = {
        who: this.processId,
        ends,
        inFlight: [...this.inFlight],
        requests,
        jitter: this.time.random(),
      };
      const { granted, waits, clock } = await this.exchange(request);
      this.failures = 0;
      this.isQueued = waits.write !== undefined || waits.read !== undefined;
      this.grant(granted);
      return this.applyWaits(waits, clock);
    } catch (error) {
      this.failures += 1;
      this.isQueued = false;
      this.ends = this.failures < MOST_FAILURES ? [...ends, ...this.ends] : [];
      const now = this.time.now();
      for (const pending of this.pendingCalls()) {
        // Overload is no reason to break off a reading that takes hours.
        const waitsOn = (error instanceof Overloaded || isLockFailure(error)) && pending.until > now;
        if (!waitsOn) pending.refuse(error instanceof Error ? error : new Error(String(error)));
      }
      return FAILED_PAUSE_MS;
    }
  }

  private grant(granted: readonly string[]): void {
    for (const id of granted) {
      const pending = this.waiting.write.get(id) ?? this.waiting.read.get(id);
      // The call was withdrawn during the exchange.
      if (pending === undefined) this.ends.push({ id, facts: 'unsent' });
      else {
        this.inFlight.add(id);
        pending.grant({ release: (facts) => this.release({ id, facts }) });
      }
    }
    if (granted.length > 0) this.polls = 0;
  }

  private release(end: CallEnd): void {
    if (!this.inFlight.delete(end.id)) return;
    this.ends.push(end);
    this.wakeUp(true);
  }

  /** Rejects calls that would wait too long. @returns milliseconds until the next exchange */
  private applyWaits(waits: LimiterDecision['waits'], clock: number): number {
    const now = this.time.now();
    this.knownWaits = {};
    let pause = this.inFlight.size > 0 ? KEEP_AFTER_MS : LONGEST_WAIT_MS;
    for (const kind of ['write', 'read'] as const) {
      const wait = waits[kind];
      if (wait === undefined) continue;
      const ms = this.spread(wait);
      this.knownWaits[kind] = now + ms;
      pause = Math.min(pause, ms);
      for (const pending of this.waiting[kind].values()) {
        const certain = wait.why === 'full' || wait.why === 'others' ? 0 : wait.ms;
        if (now + certain >= pending.until) {
          const until = Math.max(wait.ms, 1_000);
          pending.refuse(new RateLimitWaitTooLong(new Date(clock + until), until));
        } else pause = Math.min(pause, pending.until - now);
      }
    }
    return this.ends.length > 0 ? 0 : pause;
  }

  /** Adds a random part to a wait, so that processes with the same wait do not query the database together. */
  private spread({ why, ms }: Wait): number {
    const random = this.time.random();
    if (why === 'full' || why === 'others') {
      this.polls += 1;
      return Math.min(LONGEST_POLL_MS, ms * 1.5 ** Math.min(this.polls - 1, 20)) * (0.5 + random / 2);
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

/** Takes the first call of each customer, then the second of each, and so on. */
function firstOf(askers: ReadonlyMap<string, PendingCall>): readonly CallRequest[] {
  const queues = new Map<string, CallRequest[]>();
  for (const { id, kind, customer } of askers.values()) {
    const queue = queues.get(customer) ?? [];
    if (queue.length < MOST_ASKS) queue.push({ id, kind, customer });
    queues.set(customer, queue);
  }
  const first: CallRequest[] = [];
  for (let place = 0; place < MOST_ASKS && first.length < MOST_ASKS; place += 1) {
    for (const queue of queues.values()) first.push(...queue.slice(place, place + 1));
  }
  return first.slice(0, MOST_ASKS);
}

function closedError(): RateLimiterStopped {
  return new RateLimiterStopped('The service is stopping');
}
