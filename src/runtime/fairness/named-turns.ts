/** Work under one name goes one after the other, in order of arrival. A name costs nothing while nobody uses it. */
export class NamedTurns {
  /** Those who wait behind the one whose turn it is, by name. */
  private readonly lines = new Map<string, Set<() => void>>();

  /** Takes the turn when nobody has it; else undefined. What it returns ends the turn; more than once does no harm. */
  takeNow(name: string): (() => void) | undefined {
    if (this.lines.has(name)) return undefined;
    this.lines.set(name, new Set());
    return this.ending(name);
  }

  /**
   * Waits for the turn.
   *
   * @param signal ends the wait when it aborts, which then rejects with the signal's reason
   * @returns ends the turn; more than once does no harm
   */
  async take(name: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const line = this.lines.get(name);
    if (line === undefined) this.lines.set(name, new Set());
    else await wait(line, signal);
    const end = this.ending(name);
    // It may have aborted after the turn came and before we came here.
    if (signal.aborted) end();
    signal.throwIfAborted();
    return end;
  }

  private ending(name: string): () => void {
    let ended = false;
    return () => {
      if (!ended) this.next(name);
      ended = true;
    };
  }

  private next(name: string): void {
    const line = this.lines.get(name);
    const [begin] = line ?? [];
    if (line === undefined || begin === undefined) {
      this.lines.delete(name);
      return;
    }
    line.delete(begin);
    begin();
  }
}

function wait(line: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = (): void => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    };
    const giveUp = (): void => {
      line.delete(begin);
      reject(signal.reason as Error); // Whoever aborts gives an Error as reason.
    };
    line.add(begin);
    signal.addEventListener('abort', giveUp, { once: true });
  });
}
