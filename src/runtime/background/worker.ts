import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import { endsWithin } from '../clock/ends-within';
import type { Logger } from '../logging/logger';
import type { Metrics } from '../metrics/metrics';
import { logOf } from '../tracing/logged-work';
import { ConcurrencySlots } from './concurrency-slots';
import { Recurring } from './recurring';
import type { Found, LeasedWork, Work } from './work';

/** The most claims that a worker makes at a time. There are several, so that a claim that waits for a lock does not delay others. */
const CLAIMS_AT_ONCE = 4;

/**
 * Runs recurring work, on each instance: it looks for due items, claims them, runs them, and pauses. Items run concurrently,
 * within limits in total and for each customer, so slow items of one customer delay no other. A failed item is logged and delays
 * no other item. It is tried again after the interval, or when its lease expires.
 */
export class Worker<Due, Item = Due> {
  private readonly slots: ConcurrencySlots;
  private readonly stopping = new AbortController();
  private readonly underWay = new Set<Promise<void>>();
  private loop: Recurring | undefined;
  /** Due items that have not been started. */
  private found: Due[] = [];
  /** Finds the next page of a poll that has not found everything. */
  private more: Found<Due>['more'];
  private claims = 0;
  /** Whether a poll did not take place or ended early because there was no room. It takes place when there is room. */
  private isOwed = false;

  constructor(
    private readonly work: Work<Due, Item>,
    private readonly logger: Logger,
    private readonly metrics: Metrics,
  ) {
    this.slots = new ConcurrencySlots(work.mostAtOnce, work.mostOfCustomer, work.keptForOthers);
  }

  /** Starts to look for due items at the interval. */
  start(): void {
    this.loop ??= new Recurring(
      this.work.interval,
      () => this.poll(),
      (error) => this.warn(this.logger, error, this.work.failure.poll),
    );
  }

  /** Looks for due items now, because some have become due. */
  wake(): void {
    this.loop?.wake();
  }

  /** Starts no further item. Resolves when those in progress have ended, or after the stop timeout of the work. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop?.stop();
    const { stopTimeout } = this.work;
    if (stopTimeout === undefined) return this.idle();
    await endsWithin(this.idle(), stopTimeout);
  }

  /**
   * Looks for due items once, and starts them while there is room. The other items that it found start when there is room
   * again.
   *
   * @throws any error of the query for due items
   */
  async poll(stop: AbortSignal = this.stopping.signal): Promise<void> {
    this.startFound(stop);
    this.isOwed = this.found.length > 0 || this.slots.room <= 0;
    if (this.isOwed) return;
    // The poll left out customers with a claim under way. That claim may have begun before their next item was due.
    const isPartial = this.claims > 0;
    do {
      const page = await this.nextPage();
      this.found.push(...page.due);
      this.more = page.more;
      this.startFound(stop);
    } while (this.more !== undefined && this.found.length === 0 && this.slots.room > 0 && !stop.aborted);
    this.isOwed = isPartial || this.more !== undefined;
  }

  /** Runs all due items, and resolves when they have ended. */
  async sweep(stop: AbortSignal = this.stopping.signal): Promise<void> {
    do {
      await this.poll(stop);
      await this.idle();
    } while (this.more !== undefined && !stop.aborted);
  }

  /** Resolves when no item is in progress, including those that start when others end. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private async nextPage(): Promise<Found<Due>> {
    const { more } = this;
    // If this fails, the next poll begins anew.
    this.more = undefined;
    return more === undefined ? this.work.find(this.slots.fullKeys) : more();
  }

  private startFound(stop: AbortSignal): void {
    while (!stop.aborted && this.slots.room > 0 && this.claims < CLAIMS_AT_ONCE) {
      const due = this.found.shift();
      if (due === undefined) return;
      const { work } = this;
      // If its customer has no room, a later poll finds the item again.
      if (this.slots.roomFor(this.customerOf(due)) <= 0) continue;
      if (work.claim === undefined) this.perform(due, () => work.run(due, stop), stop, false);
      else this.track(this.claim(work, due, stop));
    }
  }

  private async claim(work: LeasedWork<Due, Item>, due: Due, stop: AbortSignal): Promise<void> {
    const customer = this.customerOf(due);
    const room = Math.min(work.mostOfClaim ?? 1, this.slots.roomFor(customer));
    this.slots.acquire(customer, room);
    this.claims += 1;
    let claimed: readonly Item[] = [];
    try {
      claimed = await work.claim(due, room);
    } catch (error) {
      this.failed(due, error);
    } finally {
      this.claims -= 1;
      this.slots.release(customer, room);
    }
    const { pollsAfterItems = true } = work;
    for (const item of claimed) this.perform(item, () => work.run(item, stop), stop, pollsAfterItems);
    this.goOn(stop);
  }

  /** @param pollsAfter whether a poll follows the end of the item. Only for leased items, which a poll cannot find again at once */
  private perform(item: Due | Item, run: () => Promise<void>, stop: AbortSignal, pollsAfter: boolean): void {
    const customer = this.customerOf(item);
    this.slots.acquire(customer, 1);
    const performed = async (): Promise<void> => {
      let isDone = false;
      try {
        await run();
        isDone = true;
        this.metrics.countWork(this.work.name, 'done');
      } catch (error) {
        this.failed(item, error);
      } finally {
        this.slots.release(customer, 1);
      }
      this.goOn(stop, isDone && pollsAfter);
    };
    this.track(performed());
  }

  /** Starts further items, because there may be room again. */
  private goOn(stop: AbortSignal, isMoreDue = false): void {
    this.startFound(stop);
    if (this.found.length > 0 || !(isMoreDue || this.isOwed)) return;
    this.isOwed = false;
    this.wake();
  }

  private failed(item: Due | Item, error: unknown): void {
    // The customer's items were deleted too.
    if (error instanceof CustomerDeleted) return;
    this.metrics.countWork(this.work.name, 'failed');
    const { describe, failure } = this.work;
    this.warn(describe === undefined ? this.logger : logOf(this.logger, describe(item)), error, failure.item);
  }

  private warn(logger: Logger, error: unknown, message: string): void {
    const { context } = this.work;
    logger.warn({ ...(context !== undefined && { context }), err: error }, message);
  }

  private customerOf(item: Due | Item): string {
    return this.work.describe?.(item).customerId ?? '';
  }

  private track(work: Promise<void>): void {
    const tracked = work.finally(() => this.underWay.delete(tracked));
    this.underWay.add(tracked);
  }
}
