/** The longest delay that a timer of Node can have. */
const LONGEST_DELAY = 2 ** 31 - 1;

interface Alarm {
  readonly due: number;
  readonly ring: () => void;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The time of a simulated platform. Limits, lifetimes of tokens, windows and delays all use it, so an hour of the
 * platform can pass within a second of a test. All numbers are simulated milliseconds.
 *
 * `factor` is the number of simulated milliseconds per real millisecond: 1 is real time, 60 turns a minute into a
 * second, and with 0 the clock advances only by {@link advance}.
 */
export class SimulatedClock {
  private readonly alarms = new Set<Alarm>();
  private readonly startedAt = performance.now();
  private readonly start: number;
  private skipped = 0;
  readonly factor: number;

  constructor(options: { readonly factor?: number; readonly start?: Date } = {}) {
    this.factor = options.factor ?? 1;
    this.start = options.start?.getTime() ?? Date.now();
    if (!(this.factor >= 0)) throw new Error('A clock cannot run backwards');
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.start + this.skipped + (performance.now() - this.startedAt) * this.factor;
  }

  date(): Date {
    return new Date(this.now());
  }

  /** Advances the time. Timers that become due run before this returns, in order. */
  advance(milliseconds: number): void {
    if (!(milliseconds >= 0)) throw new Error('A clock cannot run backwards');
    this.skipped += milliseconds;
    for (const alarm of [...this.alarms].sort((one, other) => one.due - other.due)) this.arm(alarm);
  }

  /**
   * Calls `ring` once after a delay. The returned function cancels the timer. The timer does not keep the process
   * alive.
   */
  after(milliseconds: number, ring: () => void): () => void {
    const alarm: Alarm = { due: this.now() + milliseconds, ring, timer: undefined };
    this.alarms.add(alarm);
    this.arm(alarm, false);
    return () => this.disarm(alarm);
  }

  /**
   * Simulated milliseconds until the next timer is due; undefined if no timer is waiting. For a clock that stands
   * still.
   */
  untilNext(): number | undefined {
    const now = this.now();
    const left = [...this.alarms].map(({ due }) => Math.max(0, due - now));
    return left.length === 0 ? undefined : Math.min(...left);
  }

  /** Resolves after a delay. */
  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void this.after(milliseconds, resolve));
  }

  /** Cancels all timers. */
  stop(): void {
    for (const alarm of this.alarms) this.disarm(alarm);
  }

  private arm(alarm: Alarm, mayRing = true): void {
    if (!this.alarms.has(alarm)) return;
    clearTimeout(alarm.timer);
    const left = alarm.due - this.now();
    if (left <= 0 && mayRing) {
      this.disarm(alarm);
      alarm.ring();
    } else if (this.factor > 0 || left <= 0) {
      const delay = left <= 0 ? 0 : Math.min(Math.ceil(left / this.factor), LONGEST_DELAY);
      alarm.timer = setTimeout(() => this.arm(alarm), delay).unref();
    }
  }

  private disarm(alarm: Alarm): void {
    clearTimeout(alarm.timer);
    this.alarms.delete(alarm);
  }
}
