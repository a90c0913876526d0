/** Repeats a task until it is stopped. Runs never overlap. */
export class Recurring {
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;
  private isWoken = false;
  private endRest = (): void => undefined;

  /**
   * @param pause milliseconds before each run. The first run starts at a random moment within the pause, so that
   *   instances that started together do not run together
   * @param task receives a signal that aborts when the task must stop, so that a long run can end early
   * @param failed receives the error of a run; the next run takes place regardless
   */
  constructor(
    private readonly pause: number | (() => number),
    private readonly task: (stop: AbortSignal) => Promise<void>,
    private readonly failed: (error: unknown) => void,
  ) {
    this.running = this.run();
  }

  /** Ends the pause. If a run is in progress, the next one follows without a pause. */
  wake(): void {
    this.isWoken = true;
    this.endRest();
  }

  /** Resolves when no run is in progress. No further run starts. */
  stop(): Promise<void> {
    this.stopping.abort();
    this.endRest();
    return this.running;
  }

  private async run(): Promise<void> {
    await this.rest(Math.random() * this.milliseconds);
    while (!this.stopping.signal.aborted) {
      this.isWoken = false;
      await this.task(this.stopping.signal).catch(this.failed);
      await this.rest(this.milliseconds);
    }
  }

  private async rest(milliseconds: number): Promise<void> {
    if (this.isWoken || this.stopping.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      timer.unref();
      this.endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private get milliseconds(): number {
    return typeof this.pause === 'number' ? this.pause : this.pause();
  }
}
