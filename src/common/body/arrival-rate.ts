/** Milliseconds that any body may take to arrive. */
export const BODY_GRACE_MS = 10_000;

/** Bytes for which a body gets another second beyond the grace. */
export const BODY_LEAST_RATE = 1_000;

/**
 * Watches that a body arrives at a least rate, as Apache's mod_reqtimeout does (`body=10,MinRate=1000`): a body has some seconds,
 * and one more for each so many bytes that have come. The time that we do not read does not count.
 */
export class ArrivalRate {
  private bytes = 0;
  private allowedSince = performance.now();
  private pausedSince: number | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @param onTooSlow called once, when the body is behind its least rate */
  constructor(private readonly onTooSlow: () => void) {
    this.watch(BODY_GRACE_MS);
  }

  /** Counts bytes as they were sent. */
  count(bytes: number): void {
    this.bytes += bytes;
  }

  /** Stops the clock: we do not read. */
  pause(): void {
    this.pausedSince ??= performance.now();
    clearTimeout(this.timer);
  }

  /** Goes on where the clock was stopped. */
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
      // Behind what has arrived while the process was busy.
      setImmediate(() => {
        if (this.pausedSince !== undefined) return;
        const { left } = this;
        if (left > 0) this.watch(left);
        else this.onTooSlow();
      });
    }, milliseconds);
  }
}
