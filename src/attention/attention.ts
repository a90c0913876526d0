/** What may wait for a person, the most urgent first. */
export const attentionKinds = [
  'held_writes',
  'held_deletions',
  'refused_credentials',
  'failing_connections',
  'late_connections',
  'unending_runs',
  'late_writes',
  'comparisons_behind',
  'unconfirmed_webhooks',
  'disabled_webhook_endpoints',
  'failing_webhook_endpoints',
] as const;

export type AttentionKind = (typeof attentionKinds)[number];

/** One thing that waits. */
export interface WaitingItem {
  readonly customerId: string;
  /** Null where no platform is concerned. */
  readonly platform: string | null;
  /** Since when; null if unknown. */
  readonly since: Date | null;
}

/** What waits of one kind, by the latest poll. */
export interface Waiting {
  readonly kind: AttentionKind;
  /** At most {@link MOST_COUNTED}. */
  readonly count: number;
  readonly customers: number;
  readonly oldest: Date | null;
  /** The longest waiting ones. */
  readonly items: readonly WaitingItem[];
}

/** Items of a kind that a poll reads. A count of this number means as many or more. */
export const MOST_COUNTED = 1_000;

/** Items of a kind that are named. */
const MOST_NAMED = 10;

/** @param items the longest waiting first */
export function waitingOf(kind: AttentionKind, items: readonly WaitingItem[]): Waiting {
  return {
    kind,
    count: items.length,
    customers: new Set(items.map(({ customerId }) => customerId)).size,
    oldest: items.find(({ since }) => since !== null)?.since ?? null,
    items: items.slice(0, MOST_NAMED),
  };
}
