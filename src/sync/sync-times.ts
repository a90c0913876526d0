import { Injectable } from '@nestjs/common';

/** Answers of a connect wait no longer than this for the end of the run, in milliseconds. */
export const CONNECT_WAIT_MS = 25_000;

/** How long things of a run take, in milliseconds. Tests set other values. */
@Injectable()
export class SyncTimes {
  /** How long an answer waits for the end of a run. */
  wait = CONNECT_WAIT_MS;
  /** How long a run belongs to an instance that is not heard of. Work under way renews the lease. */
  lease = 10_000;
  /** Between two looks at a run that another instance works on. */
  look = 200;
  /** Between two rounds of the keeper. */
  keeper = 5_000;
  /** How long a lock on the customer is tried for. */
  lock = 20_000;
  /** How long runs may go on when the process stops. */
  farewell = 1_000;
}
