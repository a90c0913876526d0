import { stringifyJson, type JsonObject } from '@app/mapper';
import type { SimulatedClock } from '../../server';
import type { TableName } from '../model/entity-set';
import type { Change } from '../store/store';
import { eventsOf, noticesFor, type Event } from './notices';
import type { Subscriptions } from './subscriptions';

/** Changes are gathered for so long before they are sent. */
const GATHERED = 30_000;
/** A receiver that is out of order is asked again, in growing steps, for so long. */
const GIVE_UP_AFTER_MS = 36 * 3_600_000;
const FIRST_PAUSE = 30_000;

/** A body that was sent to a receiver, and what came of it. */
export interface Delivery {
  readonly url: string;
  readonly notices: readonly JsonObject[];
  /** The receiver's status; null when there was none. */
  readonly status: number | null;
}

/** Sends an HTTP request; resolves to the status, or null when the receiver cannot be reached. */
export type Post = (url: string, body: string) => Promise<number | null>;

/** Tells subscribers of changes: gathered for thirty seconds, those of several subscriptions together. */
export class Notifier {
  readonly deliveries: Delivery[] = [];
  private events: Event[] = [];
  private isArmed = false;
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly clock: SimulatedClock,
    private readonly subscriptions: () => Subscriptions,
    private readonly tableOf: (page: string) => TableName | undefined,
    private readonly post: Post,
  ) {}

  /** Takes notice of a transaction. */
  committed(changes: readonly Change[]): void {
    const wanted = new Set(
      this.subscriptions()
        .living()
        .map(({ page }) => this.tableOf(page)),
    );
    const events = eventsOf(changes, this.clock.now()).filter(({ table }) => wanted.has(table));
    if (events.length === 0) return;
    this.events.push(...events);
    if (this.isArmed) return;
    this.isArmed = true;
    this.clock.after(GATHERED, () => this.send());
  }

  /** Sends what is gathered, and waits for all that is being sent. */
  async flush(): Promise<void> {
    this.send();
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  /** Sends what is gathered. */
  send(): void {
    this.isArmed = false;
    const events = this.events;
    this.events = [];
    const byReceiver = new Map<string, { readonly notices: JsonObject[]; readonly ids: string[] }>();
    for (const subscription of this.subscriptions().living()) {
      const table = this.tableOf(subscription.page);
      const notices = noticesFor(
        subscription,
        events.filter((event) => event.table === table),
      );
      if (notices.length === 0) continue;
      const receiver = byReceiver.get(subscription.notificationUrl) ?? { notices: [], ids: [] };
      receiver.notices.push(...notices);
      receiver.ids.push(subscription.id);
      byReceiver.set(subscription.notificationUrl, receiver);
    }
    for (const [url, { notices, ids }] of byReceiver)
      this.deliver(url, notices, ids, FIRST_PAUSE, this.clock.now());
  }

  private deliver(
    url: string,
    notices: readonly JsonObject[],
    ids: readonly string[],
    pause: number,
    since: number,
  ): void {
    const sending = this.post(url, stringifyJson({ value: notices })).then((status) => {
      this.deliveries.push({ url, notices, status });
      if (status !== null && status >= 200 && status < 300) return;
      if (status === null || status === 408 || status === 429 || status >= 500) {
        if (this.clock.now() - since + pause > GIVE_UP_AFTER_MS) return;
        this.clock.after(pause, () => this.deliver(url, notices, ids, pause * 2, since));
        return;
      }
      // A receiver that refuses a notice gets no more.
      for (const id of ids) this.subscriptions().remove(id);
    });
    this.underWay.add(sending);
    void sending.finally(() => this.underWay.delete(sending));
  }
}
