import { Injectable, type OnModuleInit } from '@nestjs/common';
import { UnitOfWork, type Store } from '../../database/transaction/unit-of-work';
import { Clock } from './clock';

const askTime = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as at';

/**
 * The clock of the database, as far as this process can tell between two questions. The process counts on with its
 * monotonic time, so nobody who sets the machine's clock changes anything.
 *
 * The database reads its clock after it was asked and before its answer is here. So each answer bounds the distance between
 * both clocks, a slow one less tightly than a fast one. The time taken is the latest that the bounds allow: a wait that ends
 * at a time from here is never too short, however slow the answers are.
 */
@Injectable()
export class DatabaseClock extends Clock implements OnModuleInit {
  /** Milliseconds from this process's monotonic time to the database's; until it is asked, to the time of the process. */
  private distance = Date.now() - performance.now();
  private isAsked = false;
  /** See {@link aheadMs}. */
  private ahead = 0;

  constructor(private readonly unitOfWork: UnitOfWork) {
    super();
  }

  /** Nothing is begun with the clock of the process. */
  async onModuleInit(): Promise<void> {
    await this.follow();
  }

  now(): Date {
    return new Date(performance.now() + this.distance);
  }

  /**
   * Milliseconds that the clock of this process is ahead of the database's for certain: the time of the round trip may be a
   * part of the difference, and is not counted. Below 0 it is behind.
   */
  get aheadMs(): number {
    return this.ahead;
  }

  /** Asks the database. @throws what the database throws */
  async follow(): Promise<void> {
    await this.asked(() => this.unitOfWork.read<{ at: number }>(askTime, []));
  }

  /** The database's time, asked for in a transaction. @throws what the database throws */
  read(store: Store): Promise<Date> {
    return this.asked(() => store.query<{ at: number }>(askTime));
  }

  private async asked(ask: () => Promise<readonly { readonly at: number }[]>): Promise<Date> {
    const before = performance.now();
    const [row] = await ask();
    const after = performance.now();
    if (row === undefined) throw new Error('The database has no time');
    this.bound(row.at - after, row.at - before, Date.now() - after);
    return new Date(row.at);
  }

  /** @param own milliseconds from the monotonic time to that of the process */
  private bound(least: number, most: number, own: number): void {
    // Below what is possible now, the database's clock has been set, or this process has missed a while.
    const isPossible = this.isAsked && this.distance >= least;
    this.isAsked = true;
    this.distance = isPossible ? Math.min(this.distance, most) : most;
    this.ahead = own > most ? own - most : own < least ? own - least : 0;
  }
}
