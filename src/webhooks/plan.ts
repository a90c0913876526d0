import type { PlatformSubscription } from '../platforms/webhooks';
import { hashIn } from './address';

/** A subscription as it is stored here. */
export interface KnownSubscription {
  readonly addressHash: string;
  /** Whether the platform has said that it is made. */
  readonly isMade: boolean;
}

/** What there is, here and there. */
export interface SubscriptionState {
  /** What is to be subscribed to. */
  readonly topics: readonly string[];
  /** What addresses begin with now. */
  readonly addresses: string;
  readonly known: readonly KnownSubscription[];
  /** Hashes of addresses that belong to other connections. */
  readonly others: ReadonlySet<string>;
  readonly there: readonly PlatformSubscription[];
  readonly now: Date;
  /** Milliseconds before its end from which a subscription is renewed. */
  readonly renewBefore: number;
}

/** What is to be done, in this order. */
export interface SubscriptionPlan {
  /** Ends at the platform: ours that are of no use, and those of ours that nobody knows any more. */
  readonly remove: readonly PlatformSubscription[];
  /** Hashes of addresses that lead nowhere. */
  readonly forget: readonly string[];
  readonly renew: readonly PlatformSubscription[];
  readonly subscribe: readonly string[];
}

/** Says what brings a platform's subscriptions to what they should be. Those of other programs are let be. Pure. */
export function planSubscriptions(state: SubscriptionState): SubscriptionPlan {
  const { topics, addresses, known, others, there, now, renewBefore } = state;
  const made = new Map(known.map(({ addressHash, isMade }) => [addressHash, isMade]));
  const kept = new Map<string, { readonly subscription: PlatformSubscription; readonly hash: string }>();
  const remove: PlatformSubscription[] = [];
  for (const subscription of there) {
    const { topic, url, expiresAt } = subscription;
    const hash = hashIn(url);
    const isHere = url.startsWith(addresses);
    if (hash === undefined || others.has(hash) || !(made.has(hash) || isHere)) continue;
    const isOver = expiresAt !== undefined && expiresAt <= now;
    const isGood = made.get(hash) === true && isHere && !isOver;
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
    forget: [...made.keys()].filter((hash) => !hashes.has(hash)),
    renew: [...kept.values()]
      .map(({ subscription }) => subscription)
      .filter(({ expiresAt }) => expiresAt !== undefined && expiresAt.getTime() <= renewFrom),
    subscribe: topics.filter((topic) => !kept.has(topic)),
  };
}
