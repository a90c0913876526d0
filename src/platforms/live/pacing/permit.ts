import type { CallEnd } from './call-end';

/** The rate limiter is shut for longer than a call would wait. */
export class RateLimitWaitTooLong extends Error {
  override readonly name = 'RateLimitWaitTooLong';

  /** @param until when it may be open, by the database's clock */
  constructor(readonly until: Date) {
    super(`The rate limit allows no call until ${until.toISOString()}`);
  }
}

/** A place for one call. */
export interface Permit {
  /** Gives the place back, and hands over what the answer said. Must be called once the call has ended; later calls do nothing. */
  release(facts: CallEnd['facts']): void;
}
