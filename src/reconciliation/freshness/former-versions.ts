import { Injectable } from '@nestjs/common';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import {
  FURTHER_AT_ONCE,
  noFormer,
  readFormer,
  type FormerPlace,
  type FormerStep,
} from '../comparisons/stored/compared-objects.repository';
import { holdLease } from '../comparisons/stored/comparison-states.repository';
import type { BegunRefresh } from './refresh-marks';
import { RefreshTransactions } from './refresh-transactions';
import { StatementTimes } from './statement-times';

/** An object that takes former versions of its records, step by step. */
interface SteppedObject {
  readonly id: string;
  /** The versions that it takes next; undefined if it needs no more. */
  readonly next: FormerPlace | undefined;
  goBack(step: FormerStep): void;
}

/** Reads the former versions of records, as far back as comparisons need them. */
@Injectable()
export class FormerVersions {
  constructor(
    private readonly transactions: RefreshTransactions,
    private readonly eventLoop: EventLoopScheduler,
    private readonly times: StatementTimes,
  ) {}

  /**
   * Gives objects the former versions of their records that they need. Most need a first step alone, which all objects
   * take together. The few that need more than their 50 latest versions go on, few at a time.
   *
   * @param add receives each object that needs no more
   * @param time in the past, for versions before it
   */
  async goBack<One extends SteppedObject>(
    { lease, stop }: BegunRefresh,
    objects: readonly One[],
    add: (one: One) => void,
    time?: string,
  ): Promise<void> {
    const { customerId } = lease;
    let held = performance.now();
    let [some, left] = [objects, [] as readonly One[]];
    while (some.length > 0) {
      stop.throwIfAborted();
      const places = some.flatMap(({ next }) => next ?? []);
      const former = await this.transactions.read(customerId, (tx) => readFormer(tx, places, time));
      const further: One[] = [];
      for (const one of some) {
        await this.eventLoop.waitToContinue(customerId);
        one.goBack(former.get(one.id) ?? noFormer);
        if (one.next === undefined) add(one);
        else further.push(one);
      }
      left = [...further, ...left];
      [some, left] = [left.slice(0, FURTHER_AT_ONCE), left.slice(FURTHER_AT_ONCE)];
      if (performance.now() - held < this.times.lease / 5) continue;
      held = performance.now();
      await this.transactions.write(customerId, (tx) => holdLease(tx, lease));
    }
  }
}
