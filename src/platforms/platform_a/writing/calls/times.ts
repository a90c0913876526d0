import { Injectable } from '@nestjs/common';

/** The times to wait for a write to become visible, in milliseconds. Tests set other values. */
@Injectable()
export class WritingTimes {
  /** Pauses before each further read of a record that was just written. */
  readBack: readonly number[] = [2_000, 10_000];
  /**
   * When to check a write whose outcome is unknown, in milliseconds after the attempt ended. A write that is not
   * visible at the last check did not happen.
   */
  lookAgain: readonly number[] = [2_000, 12_000, 72_000];
  /** Before a write is sent again that was not sent because the platform could not be reached. */
  retry = 10_000;
  /**
   * Before a write is sent again, or checked again, if the platform refuses the credentials: a person must correct them
   * first.
   */
  refused = 60_000;
}
