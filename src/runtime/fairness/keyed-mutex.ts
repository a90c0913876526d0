/** Serialises work under the same name, in order of arrival. An unused name takes no memory. */
export class KeyedMutex {
  /** Waiting work by name; the holder of the turn is not included. */
  private readonly queues = new Map<string, Set<() => void>>();

  /**
   * Takes the turn if it is free; otherwise returns undefined. The returned function ends the turn and is idempotent.
   */
  tryAcquire(name: string): (() => void) | undefined {
    if (this.queues.has(name)) return undefined;
    this.queues.set(name, new Set());
    return this.releaser(name);
  }

  /**
   * Waits for the turn.
   *
   * @param signal ends the wait when it aborts; the promise then rejects with the signal's reason
   * @returns a function that ends the turn, idempotent
   */
  async acquire(name: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const queue = this.queues.get(name);
    if (queue === undefined) this.queues.set(name, new Set());
    else await wait(queue, signal);
    const end = this.releaser(name);
    // The signal may have aborted between the turn and this line.
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
      reject(signal.reason as Error); // The service aborts signals with an Error as reason.
    };
    queue.add(begin);
    signal.addEventListener('abort', giveUp, { once: true });
  });
}
