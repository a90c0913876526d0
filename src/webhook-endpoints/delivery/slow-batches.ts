import { ConcurrencySlots } from '../../runtime/background/concurrency-slots';
import { endsWithin } from '../../runtime/clock/ends-within';

/**
 * Batches that wait for slow receivers. They give up their slots, so that slow receivers do not hold up the others.
 */
export class SlowBatches {
  private readonly underWay = new Set<Promise<void>>();
  private readonly places: ConcurrencySlots;

  /**
   * @param most the most batches that continue without a slot at a time
   * @param mostOfCustomer the same for one customer: a change of an endpoint may end its claim, so a customer can have
   *   more batches under way than endpoints
   */
  constructor(most: number, mostOfCustomer: number) {
    this.places = new ConcurrencySlots(most, mostOfCustomer);
  }

  /**
   * Waits for a batch until it ends, or until it is slow and may continue without a slot. If too many batches do so
   * already, it keeps its slot until it ends.
   *
   * @param patience milliseconds after which a batch is slow
   * @param failed receives the error of a batch that continues without a slot
   * @returns when the slot is free
   * @throws the error of a batch with a slot
   */
  async wait(
    customerId: string,
    batch: Promise<void>,
    patience: number,
    failed: (error: unknown) => void,
  ): Promise<void> {
    if ((await endsWithin(batch, patience)) || this.places.roomFor(customerId) <= 0) return batch;
    this.places.acquire(customerId, 1);
    const going = batch.catch(failed).finally(() => {
      this.places.release(customerId, 1);
      this.underWay.delete(going);
    });
    this.underWay.add(going);
  }

  /** Resolves when no batch continues without a slot. */
  async idle(): Promise<void> {
    await Promise.all(this.underWay);
  }
}
