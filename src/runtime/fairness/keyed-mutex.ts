/** Work under one name goes one after the other, in order of arrival. A name costs nothing while nobody uses it. */
export class KeyedMutex {
  /** Those who wait behind the one whose turn it is, by name. */
  private readonly queues = new Map<string, Set<() => void>>();

  /** Takes the turn when nobody has it; else undefined. What it returns ends the turn; more than once does no harm. */
  tryAcquire(name: string): (() => void) | undefined {
    if (this.queues.has(name)) return undefined;
    this.queues.set(name, new Set());
    return this.releaser(name);
  }

  /**
   * Waits for the turn.
   *
   * @param signal ends the wait when it aborts, which then rejects with the signal's reason
   * @returns ends the turn; more than once does no harm
   */
  async acquire(name: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const queue = this.queues.get(name);
    if (queue === undefined) this.queues.set(name, new Set());
    else await wait(queue, signal);
    const end = this.releaser(name);
    // It may have aborted after the turn came and before we came here.
    if (signal.aborted) end();
    signal.throwIfAborted();
    return end;
  }

  private releaser(name: string): () => void {
    let ended = false;
    return () => {
      if (!ended) this.release(name);
      ended = true;
    };
  }

  private release(name: string): void {
    const queue = this.queues.get(name);
    const [begin] = queue ?? [];
    if (queue === undefined || begin === undefined) {
      this.queues.delete(name);
      return;
    }
    queue.delete(begin);
    begin();
  }
}

function wait(queue: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = (): void => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    };
    const giveUp = (): void => {
      queue.delete(begin);
      reject(signal.reason as Error); // Whoever aborts gives an Error as reason.
    };
    queue.add(begin);
    signal.addEventListener('abort', giveUp, { once: true });
  });
}
