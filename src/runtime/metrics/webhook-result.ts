/** The result of a platform's notification that something has changed. */
export type NoticeResult =
  /** A reading was requested. */
  | 'accepted'
  /** The address is unknown, or the secret is wrong. */
  | 'unproven'
  /** The platform verified that the address belongs to this service. */
  | 'handshake'
  /** The notification could not be stored; the platform retries. */
  | 'failed';

/** The result of an operation on a platform's subscription. */
export type SubscriptionAction = 'created' | 'renewed' | 'removed' | 'failed';
