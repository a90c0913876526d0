import type { CallEnd } from './call-end';

/** The rate limit allows no call within the time that the caller would wait. */
export class RateLimitWaitTooLong extends Error {
  override readonly name = 'RateLimitWaitTooLong';

  /**
   * @param until when a call may be allowed, by the database's clock
   * @param ms the same, in milliseconds from now
   */
  constructor(
    readonly until: Date,
    readonly ms: number,
  ) {
    super(`The rate limit allows no call until ${until.toISOString()}`);
  }
}

/** The permission for one call. */
export interface Permit {
  /**
   * Ends the call and reports what the response said about limits. The caller must call it once the call has ended;
   * later calls do nothing.
   */
  release(facts: CallEnd['facts']): void;
}
