const SECOND = 1_000;
const HOUR = 3_600_000;

/** Durations in milliseconds. Tests may change them. */
export class WebhookTimes {
  /** Between two searches for connections that are due. */
  poll = 15 * SECOND;
  /** Between two checks of the subscriptions of one connection. */
  check = HOUR;
  /** After this time another instance takes over, if the first has not finished. */
  lease = 300 * SECOND;
  /** Maximum duration of one check. */
  work = 120 * SECOND;
  /** How long a platform may take to verify an address. */
  handshake = 120 * SECOND;
  /** How long before its end a subscription is renewed: half of the shortest lifetime that a platform gives. */
  renewBefore = 36 * HOUR;
}
