const SECOND = 1_000;
const HOUR = 3_600_000;

/** How long things take, in milliseconds. A test may set them. */
export class WebhookTimes {
  /** Between two looks for connections that are due. */
  look = 15 * SECOND;
  /** Between two looks at the subscriptions of one connection. */
  check = HOUR;
  /** After that long another instance looks, if whoever began has not ended. */
  lease = 300 * SECOND;
  /** How long one look may take. */
  work = 120 * SECOND;
  /** How long a platform may take to ask whether an address is ours. */
  handshake = 120 * SECOND;
  /** Before its end from which a subscription is renewed: half of the shortest life that a platform gives. */
  renewBefore = 36 * HOUR;
}
