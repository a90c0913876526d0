import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats a task until it is stopped. Runs never overlap. */
export class Recurring {
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;

  /**
   * @param pause milliseconds before each run. The first run starts at a random moment within the pause, so that
   *   instances that started together do not run together
   * @param task receives a signal that aborts when the task must stop, so that a long run can end early
   * @param failed receives the error of a run; the next run takes place regardless
   */
  constructor(
    private readonly pause: number,
    private readonly task: (stop: AbortSignal) => Promise<void>,
    private readonly failed: (error: unknown) => void,
  ) {
    this.running = this.run();
  }

  /** Resolves when no run is in progress. No further run starts. */
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
