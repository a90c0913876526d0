import type { LoggedWork } from '../tracing/logged-work';

/** A page of due items, the most urgent ones first. */
export interface Found<Due> {
  readonly due: readonly Due[];
  /** Finds the next page. Absent on the last page. */
  readonly more?: () => Promise<Found<Due>>;
}

interface AnyWork<Due, Item> {
  /** The value of the label `worker` in metrics. */
  readonly name: string;
  /** The part of the service that log lines name as `context`. */
  readonly context?: string;
  /** Milliseconds between two polls for due items. */
  readonly interval: number | (() => number);
  /** Maximum number of items that one instance works on at a time. */
  readonly mostAtOnce: number;
  /** The same for one customer; by default one. */
  readonly mostOfCustomer?: number;
  /**
   * Of the items at a time, those that are kept for customers of whom this instance works on no other item. By default none, so
   * that a few customers with slow items can take all places.
   */
  readonly keptForOthers?: number;
  /** Longest time that a stop waits for items in progress, in milliseconds. By default it waits until they have ended. */
  readonly stopTimeout?: number;
  /** The log messages for a poll and for an item that failed. The next poll takes place regardless. */
  readonly failure: { readonly poll: string; readonly item: string };
  /**
   * Finds due items of all customers with a query that reads only what is due.
   *
   * @param full customers that have no room for further items
   */
  readonly find: (full: readonly string[]) => Promise<Found<Due>>;
  /** Identifies an item in log lines, and its customer for the limits. Absent for items that belong to no customer. */
  readonly describe?: (item: Due | Item) => LoggedWork;
}

/** Work whose items are claimed with a lease before they are run. While its lease lasts, an item is not due. */
export interface LeasedWork<Due, Item> extends AnyWork<Due, Item> {
  /** Maximum number of items of one claim; by default one. */
  readonly mostOfClaim?: number;
  /**
   * Claims a due item with a lease, in a short transaction.
   *
   * @param room the most items that the claim may return
   * @returns the claimed items; none if another instance was first
   */
  readonly claim: (due: Due, room: number) => Promise<readonly Item[]>;
  /** Whether a poll follows the end of each item, because the item may be due again. By default it does. */
  readonly pollsAfterItems?: boolean;
  readonly run: (item: Item, stop: AbortSignal) => Promise<void>;
}

/**
 * Work whose items need no claim: either one transaction does the whole item, or the run takes a lease itself. An item that
 * a run does not complete is due again after the interval.
 */
export interface UnleasedWork<Due, Item = Due> extends AnyWork<Due, Item> {
  readonly claim?: undefined;
  readonly run: (due: Due, stop: AbortSignal) => Promise<void>;
}

/** Recurring work of a {@link Worker}. */
export type Work<Due, Item = Due> = LeasedWork<Due, Item> | UnleasedWork<Due, Item>;

/** Recurring work without items: the task runs at each interval. */
export function taskWork({
  run,
  failure,
  ...rest
}: Pick<UnleasedWork<'task'>, 'name' | 'context' | 'interval'> & {
  readonly run: (stop: AbortSignal) => Promise<void>;
  /** The log message for a run that failed. */
  readonly failure: string;
}): UnleasedWork<'task'> {
  return {
    ...rest,
    mostAtOnce: 1,
    failure: { poll: failure, item: failure },
    find: () => Promise.resolve({ due: ['task'] }),
    run: (_task, stop) => run(stop),
  };
}
