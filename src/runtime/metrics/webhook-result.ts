/** What became of a call by which a platform says that something has changed. */
export type NoticeResult =
  /** A reading is asked for. */
  | 'accepted'
  /** Nobody knows the address, or the secret is wrong. */
  | 'unproven'
  /** The platform asked whether the address is ours. */
  | 'handshake'
  /** It could not be noted; the platform calls again. */
  | 'failed';

/** What was done with a subscription at a platform. */
export type SubscriptionAction = 'made' | 'renewed' | 'removed' | 'failed';
