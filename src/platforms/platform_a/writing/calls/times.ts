import { Injectable } from '@nestjs/common';

/** How long is waited for what was written to show, in milliseconds. Tests set other values. */
@Injectable()
export class WritingTimes {
  /** Pauses before each further look at a record that was just written. */
  readBack: readonly number[] = [2_000, 10_000];
  /**
   * When to look for a write whose outcome is unknown, in milliseconds after the attempt ended. What does not show
   * after the last did not happen.
   */
  lookAgain: readonly number[] = [2_000, 12_000, 72_000];
  /** Before a write is sent again that was not sent because the platform could not be reached. */
  retry = 10_000;
  /** The same when the platform refuses the credentials: a person must do something first. */
  refused = 60_000;
}
