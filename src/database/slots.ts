/** A number of places that are taken in order of arrival. */
export class Slots {
  private readonly waiting = new Set<() => void>();

  constructor(private free: number) {}

  /**
   * Waits for a place.
   *
   * @param signal gives the place back, or ends the wait, when it aborts; the wait rejects with its reason
   * @returns gives the place back; more than once does no harm
   */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.free > 0) this.free -= 1;
    else await this.turn(signal);
    let left = false;
    const leave = (): void => {
      signal.removeEventListener('abort', leave);
      if (!left) this.pass();
      left = true;
    };
    signal.addEventListener('abort', leave);
    // It may have aborted after the place was handed over and before we came here.
    if (signal.aborted) leave();
    signal.throwIfAborted();
    return leave;
  }

  private turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.waiting.delete(enter);
        reject(signal.reason as Error); // Whoever aborts says why with an Error.
      };
      this.waiting.add(enter);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Hands a place to whoever waits longest. */
  private pass(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.free += 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
