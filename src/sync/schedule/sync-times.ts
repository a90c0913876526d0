import { Injectable } from '@nestjs/common';

/** Intervals and time limits of runs, in milliseconds. The environment sets some of them, and tests set others. */
@Injectable()
export class SyncTimes {
  /** How long a request waits for the end of a run. */
  wait = 25_000;
  /** Time between two scheduled readings of a live connection; 0 if no reading is scheduled. */
  interval = 300_000;
  /** Shortest time between the end of a reading of a live connection and the next requested one; 0 for none. */
  pause = 30_000;
  /** Time between two polls of the schedule. */
  schedule = 2_000;
  /** Time after which other instances may take a run over. Work in progress renews the lease. */
  lease = 10_000;
  /** Time between two polls of a run that another instance works on. */
  poll = 200;
  /** Time between two rounds of the `RunReaper`. */
  reaper = 5_000;
  /**
   * How long a run tries to get the customer's lock. Another platform of a large customer may be published for minutes meanwhile, and
   * a run that gives up loses what it has read for hours.
   */
  lock = 600_000;
  /** How long runs may continue when the process stops. */
  stopTimeoutMs = 1_000;
}
