import type { PlatformSubscription } from '../platforms/webhooks';
import { hashIn } from './address';

/** A subscription that this service has stored. */
export interface KnownSubscription {
  readonly addressHash: string;
  /** Whether the platform has confirmed the subscription. */
  readonly isConfirmed: boolean;
}

/** The stored subscriptions, and those of the platform. */
export interface SubscriptionState {
  /** The topics to subscribe to. */
  readonly topics: readonly string[];
  /** The current prefix of addresses. */
  readonly addresses: string;
  readonly known: readonly KnownSubscription[];
  /** Hashes of addresses that belong to other connections. */
  readonly others: ReadonlySet<string>;
  readonly there: readonly PlatformSubscription[];
  readonly now: Date;
  /** Milliseconds before its end at which a subscription is renewed. */
  readonly renewBefore: number;
}

/** The actions of a reconciliation, in this order. */
export interface SubscriptionPlan {
  /**
   * Subscriptions to end at the platform: useless ones of this service, and unknown ones with an address of this
   * service.
   */
  readonly remove: readonly PlatformSubscription[];
  /** Hashes of addresses that no subscription uses. */
  readonly forget: readonly string[];
  readonly renew: readonly PlatformSubscription[];
  readonly subscribe: readonly string[];
}

/**
 * Computes the actions that bring a platform's subscriptions to the wanted state. Subscriptions of other programs stay.
 * Pure.
 */
export function planSubscriptions(state: SubscriptionState): SubscriptionPlan {
  const { topics, addresses, known, others, there, now, renewBefore } = state;
  const confirmations = new Map(known.map((one) => [one.addressHash, one.isConfirmed]));
  const kept = new Map<string, { readonly subscription: PlatformSubscription; readonly hash: string }>();
  const remove: PlatformSubscription[] = [];
  for (const subscription of there) {
    const { topic, url, expiresAt } = subscription;
    const hash = hashIn(url);
    const isHere = url.startsWith(addresses);
    if (hash === undefined || others.has(hash) || !(confirmations.has(hash) || isHere)) continue;
    const isOver = expiresAt !== undefined && expiresAt <= now;
    const isGood = confirmations.get(hash) === true && isHere && !isOver;
    if (isGood && topic !== undefined && topics.includes(topic) && !kept.has(topic)) {
      kept.set(topic, { subscription, hash });
    } else if (!isOver) {
      remove.push(subscription);
    }
  }
  const hashes = new Set([...kept.values()].map(({ hash }) => hash));
  const renewFrom = now.getTime() + renewBefore;
  return {
    remove,
    forget: [...confirmations.keys()].filter((hash) => !hashes.has(hash)),
    renew: [...kept.values()]
      .map(({ subscription }) => subscription)
      .filter(({ expiresAt }) => expiresAt !== undefined && expiresAt.getTime() <= renewFrom),
    subscribe: topics.filter((topic) => !kept.has(topic)),
  };
}
