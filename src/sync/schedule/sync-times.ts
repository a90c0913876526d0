import { Injectable } from '@nestjs/common';

/** How long things of a run take, in milliseconds. The environment sets some of them, and tests set others. */
@Injectable()
export class SyncTimes {
  /** How long an answer waits for the end of a run. */
  wait = 25_000;
  /** Between two readings of a live connection; 0 where none comes by itself. */
  interval = 300_000;
  /** Between the end of a reading of a live connection and the next one that is asked for, at least; 0 for none. */
  pause = 30_000;
  /** Between two looks at the schedule. */
  schedule = 2_000;
  /** How long a run belongs to an instance that is not heard of. Work under way renews the lease. */
  lease = 10_000;
  /** Between two looks at a run that another instance works on. */
  look = 200;
  /** Between two rounds of the worker. */
  reaper = 5_000;
  /** How long a lock on the customer is tried for. */
  lock = 20_000;
  /** How long runs may go on when the process stops. */
  farewell = 1_000;
}
