import { Injectable, type OnModuleInit } from '@nestjs/common';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { Store } from '../../database/transaction/store';
import { clockMilliseconds, readClock } from '../../database/transaction/database-time';
import { Clock } from './clock';

/**
 * The clock of the database, as precisely as this process knows it between two queries. Between queries the process
 * uses its monotonic clock, so a change of the machine's clock has no effect.
 *
 * The database reads its clock after the query is sent and before the response arrives. Each response therefore bounds
 * the distance between the two clocks; a slow response bounds it less tightly than a fast one. This class takes the
 * latest time that the bounds allow: a wait until a time from this class is never too short, however slow the responses
 * are.
 */
@Injectable()
export class DatabaseClock extends Clock implements OnModuleInit {
  /**
   * Milliseconds from this process's monotonic time to the database's time; before the first query, to the process's
   * time.
   */
  private distance = Date.now() - performance.now();
  private isAsked = false;
  /** See {@link aheadMs}. */
  private ahead = 0;

  constructor(private readonly unitOfWork: UnitOfWork) {
    super();
  }

  /** Reads the database's clock before any work begins, so that no work uses the clock of the process. */
  async onModuleInit(): Promise<void> {
    await this.follow();
  }

  now(): Date {
    return new Date(performance.now() + this.distance);
  }

  /**
   * Milliseconds that the clock of this process is certainly ahead of the database's; negative if it is behind. The
   * duration of the round trip is not counted, because it may be a part of the difference.
   */
  get aheadMs(): number {
    return this.ahead;
  }

  /** Queries the database's time. @throws what the database throws */
  async follow(): Promise<void> {
    await this.asked(() => readClock(this.unitOfWork));
  }

  /** The database's time, queried in a transaction. @throws what the database throws */
  read(store: Store): Promise<Date> {
    return this.asked(() => clockMilliseconds(store));
  }

  private async asked(ask: () => Promise<number>): Promise<Date> {
    const before = performance.now();
    const at = await ask();
    const after = performance.now();
    this.bound(at - after, at - before, Date.now() - after);
    return new Date(at);
  }

  /** @param own milliseconds from the monotonic time to that of the process */
  private bound(least: number, most: number, own: number): void {
    // A distance below the lower bound means that the database's clock was set or that this process was suspended.
    const isPossible = this.isAsked && this.distance >= least;
    this.isAsked = true;
    this.distance = isPossible ? Math.min(this.distance, most) : most;
    this.ahead = own > most ? own - most : own < least ? own - least : 0;
  }
}
