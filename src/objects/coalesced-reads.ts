interface Shared<Result> {
  readonly result: Promise<Result>;
  readonly ending: AbortController;
  /** Those who still want the result. */
  wanted: number;
}

/**
 * Does work once for all who ask for it in one turn of the loop. It begins in the next one, so nobody gets what was read
 * before he asked.
 */
export class CoalescedReads<Result> {
  private readonly waiting = new Map<string, Shared<Result>>();

  /**
   * @param key of the work; who asks with the same key gets the same result, or the same error
   * @param gone aborts, with an Error as reason, when whoever asks no longer wants the result
   * @param work its signal aborts when nobody wants the result any more
   */
  run(key: string, gone: AbortSignal, work: (unwanted: AbortSignal) => Promise<Result>): Promise<Result> {
    if (gone.aborted) return Promise.reject(gone.reason as Error); // Whoever aborts gives an Error as reason.
    let shared = this.waiting.get(key);
    if (shared === undefined) this.waiting.set(key, (shared = this.begin(key, work)));
    const own = shared;
    own.wanted += 1;
    const leave = (): void => {
      own.wanted -= 1;
      if (own.wanted > 0) return;
      // Work that has not begun takes in nobody any more: whoever asks now would be cut off with those who left.
      if (this.waiting.get(key) === own) this.waiting.delete(key);
      own.ending.abort(gone.reason);
    };
    gone.addEventListener('abort', leave, { once: true });
    // Who reads a long listing asks often with one signal.
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
