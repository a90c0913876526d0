interface Shared<Result> {
  readonly result: Promise<Result>;
  readonly ending: AbortController;
  /** Number of callers that still await the result. */
  wanted: number;
}

/**
 * Runs work once for all callers of the same turn of the event loop. The work begins in the next turn, so no caller
 * gets a result that was read before its call.
 */
export class CoalescedReads<Result> {
  private readonly waiting = new Map<string, Shared<Result>>();

  /**
   * @param key of the work; callers with the same key get the same result, or the same error
   * @param gone aborts, with an Error as reason, when the caller no longer needs the result
   * @param work its signal aborts when no caller needs the result any more
   */
  run(key: string, gone: AbortSignal, work: (unwanted: AbortSignal) => Promise<Result>): Promise<Result> {
    if (gone.aborted) return Promise.reject(gone.reason as Error); // Signals abort with an Error.
    let shared = this.waiting.get(key);
    if (shared === undefined) this.waiting.set(key, (shared = this.begin(key, work)));
    const own = shared;
    own.wanted += 1;
    const leave = (): void => {
      own.wanted -= 1;
      if (own.wanted > 0) return;
      // Abandoned work that has not begun accepts no further callers, because it would be cut off for them too.
      if (this.waiting.get(key) === own) this.waiting.delete(key);
      own.ending.abort(gone.reason);
    };
    gone.addEventListener('abort', leave, { once: true });
    // A caller that reads a long listing uses one signal for many calls.
    const forget = (): void => gone.removeEventListener('abort', leave);
    own.result.then(forget, forget);
    return own.result;
  }

  private begin(key: string, work: (unwanted: AbortSignal) => Promise<Result>): Shared<Result> {
    const ending = new AbortController();
    const result = new Promise<Result>((resolve, reject) => {
      setImmediate(() => {
        if (ending.signal.aborted) return reject(ending.signal.reason as Error); // As above.
        this.waiting.delete(key);
        work(ending.signal).then(resolve, reject);
      });
    });
    return { result, ending, wanted: 0 };
  }
}
