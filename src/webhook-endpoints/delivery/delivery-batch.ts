import type { ShownEvent } from '../../records/events/shown-event';
import type { FinishedAttempt, OpenDelivery, WaitingDelivery } from '../deliveries.repository';
import type { ClaimedEndpoint, EndpointProgress } from '../webhook-endpoints.repository';
import { isGivenUp, pauseAfter } from './retry-plan';

/** The result of sending an event. */
export interface SendResult {
  /** Of the response; null if there was none. */
  readonly status: number | null;
  /** Why there was no response, or none that counts; null if there was. */
  readonly error: string | null;
  /** The begin of the response; null without one. */
  readonly response: string | null;
  readonly at: Date;
  readonly durationMs: number;
}

/** One event to deliver. */
export interface Delivery {
  readonly event: ShownEvent;
  /**
   * The object whose events keep their order; null for an event without an object, and for one that a person asked for.
   */
  readonly object: string | null;
  /** Attempts so far. */
  readonly attempts: number;
  /** Whether it comes from the feed, and not from deliveries that waited. */
  readonly isNew: boolean;
}

/** The rows that the deliverer stores at the end of a batch. */
export interface BatchOutcome {
  readonly settled: readonly number[];
  readonly waiting: readonly WaitingDelivery[];
  readonly attempts: readonly FinishedAttempt[];
  readonly progress: EndpointProgress;
}

/** The waiting deliveries that are due and have no earlier waiting delivery of their object. */
export function retriesDue(open: readonly OpenDelivery[]): readonly OpenDelivery[] {
  const objects = new Set<string>();
  return open.filter(({ object, isDue, isResend }) => {
    if (isResend || object === null) return isDue;
    const isFirst = !objects.has(object);
    objects.add(object);
    return isFirst && isDue;
  });
}

/** Whether a response takes an event as received. */
function isReceived({ status }: Pick<SendResult, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Keeps account of the deliveries of one endpoint during one claim. Has no effects of its own. */
export class DeliveryBatch {
  private readonly settled: number[] = [];
  private readonly waiting: WaitingDelivery[] = [];
  private readonly attempts: FinishedAttempt[] = [];
  private readonly stored: ReadonlySet<number>;
  private readonly heldObjects: Set<string>;
  private failures: number;
  private failingSince: Date | null;
  private hasFailed = false;
  /** The smallest number of an event of the feed that was not dealt with. */
  private firstLeft = Infinity;

  /**
   * @param open the deliveries that waited when the endpoint was claimed
   * @param end the number of the last event that was read from the feed
   * @param random from 0 to 1
   */
  constructor(
    private readonly endpoint: ClaimedEndpoint,
    open: readonly OpenDelivery[],
    private readonly end: number | null,
    private readonly random: () => number,
  ) {
    this.failures = endpoint.failures;
    this.failingSince = endpoint.failingSince;
    this.stored = new Set(open.map(({ sequence }) => sequence));
    this.heldObjects = new Set(
      open.flatMap(({ object, isResend }) => (object === null || isResend ? [] : [object])),
    );
  }

  /** Whether a further delivery may begin: none has failed. */
  get mayGoOn(): boolean {
    return !this.hasFailed;
  }

  /** Whether an event has to wait because one of its object does. */
  isHeld({ object, isNew }: Delivery): boolean {
    return isNew && object !== null && this.heldObjects.has(object);
  }

  /** Notes that an event waits for an earlier event of its object. */
  hold({ event, object }: Delivery): void {
    this.waiting.push({ sequence: event.sequence, object, attempts: 0, pause: 0 });
  }

  /** Notes that an event was not processed: the next batch reads it again. */
  leave({ event, isNew }: Delivery): void {
    if (isNew) this.firstLeft = Math.min(this.firstLeft, event.sequence);
  }

  /** Notes that the event of a delivery is kept no more. */
  drop({ sequence, attempts }: OpenDelivery, at: Date): void {
    this.settled.push(sequence);
    const none = { type: null, status: null, response: null, durationMs: 0, pause: null };
    const error = 'The event is kept no more';
    this.attempts.push({ ...none, sequence, attempt: attempts + 1, at, error, outcome: 'dropped' });
  }

  /** Notes the result of sending an event. */
  record({ event, object, attempts }: Delivery, result: SendResult): FinishedAttempt['outcome'] {
    const { sequence, type } = event;
    const attempt = attempts + 1;
    const made = { ...result, sequence, type, attempt };
    if (isReceived(result)) {
      this.failures = 0;
      this.failingSince = null;
      if (this.stored.has(sequence)) this.settled.push(sequence);
      this.attempts.push({ ...made, outcome: 'delivered', pause: null });
      return 'delivered';
    }
    this.hasFailed = true;
    this.failures += 1;
    this.failingSince ??= result.at;
    const pause = pauseAfter(attempt, this.random());
    if (pause === undefined) {
      this.settled.push(sequence);
      this.attempts.push({ ...made, outcome: 'dropped', pause: null });
      return 'dropped';
    }
    if (object !== null) this.heldObjects.add(object);
    this.waiting.push({ sequence, object, attempts: attempt, pause });
    this.attempts.push({ ...made, outcome: 'failed', pause });
    return 'failed';
  }

  /** The rows to store. */
  outcome(now: Date): BatchOutcome {
    const { settled, waiting, attempts, failures, failingSince, endpoint } = this;
    const end = this.end ?? 0;
    const position = this.firstLeft <= end ? this.firstLeft - 1 : this.end;
    // A dropped delivery has failed for a day or more. One failed attempt says too little: after an earlier drop, an
    // endpoint may have had nothing to fail at for weeks.
    const hasGivenUp = attempts.some(({ outcome, attempt }) => outcome === 'dropped' && attempt > 1);
    return {
      settled,
      waiting,
      attempts,
      progress: {
        position: position ?? endpoint.position,
        attempts: attempts.length,
        failures,
        failingSince,
        disabledReason:
          hasGivenUp && isGivenUp(failingSince, now) ? 'No delivery has succeeded for five days' : null,
      },
    };
  }
}
