/** Milliseconds that every body may take to arrive. */
const BODY_GRACE_MS = 10_000;

/** Bytes that give a body another second after the grace period. */
const BODY_LEAST_RATE = 1_000;

/**
 * Checks that a body arrives at a minimum rate, as Apache's mod_reqtimeout does (`body=10,MinRate=1000`): a body has
 * some seconds, and one more for each fixed number of bytes that has arrived. Time in which this process does not read
 * is not counted.
 */
export class ArrivalRate {
  private bytes = 0;
  private allowedSince = performance.now();
  private pausedSince: number | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @param onTooSlow called once, when the body falls below the minimum rate */
  constructor(private readonly onTooSlow: () => void) {
    this.watch(BODY_GRACE_MS);
  }

  /** Counts bytes as the client sent them. */
  count(bytes: number): void {
    this.bytes += bytes;
  }

  /** Stops the clock while this process does not read. */
  pause(): void {
    this.pausedSince ??= performance.now();
    clearTimeout(this.timer);
  }

  /** Restarts the clock where it was stopped. */
  resume(): void {
    if (this.pausedSince === undefined) return;
    this.allowedSince += performance.now() - this.pausedSince;
    this.pausedSince = undefined;
    this.watch(this.left);
  }

  end(): void {
    clearTimeout(this.timer);
    this.pausedSince = Infinity;
  }

  private get left(): number {
    const allowed = BODY_GRACE_MS + (this.bytes / BODY_LEAST_RATE) * 1_000;
    return this.allowedSince + allowed - performance.now();
  }

  private watch(milliseconds: number): void {
    this.timer = setTimeout(() => {
      // After the bytes that arrived while the process was busy.
      setImmediate(() => {
        if (this.pausedSince !== undefined) return;
        const { left } = this;
        if (left > 0) this.watch(left);
        else this.onTooSlow();
      });
    }, milliseconds);
  }
}
