import { setTimeout as sleep } from 'node:timers/promises';

/** Runs a task again and again until it is stopped, never twice at once. */
export class Recurring {
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;

  /**
   * @param pause milliseconds before each run. The first run comes at a random moment within it, so that instances that
   *   started together do not run together
   * @param task gets a signal that aborts when it should stop, so that a long run can end early
   * @param failed gets what a run threw; the next run comes all the same
   */
  constructor(
    private readonly pause: number,
    private readonly task: (stop: AbortSignal) => Promise<void>,
    private readonly failed: (error: unknown) => void,
  ) {
    this.running = this.run();
  }

  /** Resolves when no run is under way, and none will come. */
  stop(): Promise<void> {
    this.stopping.abort();
    return this.running;
  }

  private async run(): Promise<void> {
    await this.rest(Math.random() * this.pause);
    while (!this.stopping.signal.aborted) {
      await this.task(this.stopping.signal).catch(this.failed);
      await this.rest(this.pause);
    }
  }

  private async rest(milliseconds: number): Promise<void> {
    const options = { signal: this.stopping.signal, ref: false };
    await sleep(milliseconds, undefined, options).catch((error: unknown) => {
      if (!this.stopping.signal.aborted) throw error;
    });
  }
}
