const SECOND = 1_000;
const HOUR = 3_600_000;

/** Durations in milliseconds. Tests may change them. */
export class DeliveryTimes {
  /** Milliseconds between two searches for endpoints with something to deliver. */
  poll = SECOND;
  /** Until a connection, and the head of a response, must be there. */
  attempt = 15 * SECOND;
  /** How long a response with its head may take for the part of its body that is kept. */
  body = 2 * SECOND;
  /** Milliseconds after which a batch gives up its slot, for which others wait. */
  patience = SECOND;
  /** After this time a batch starts no further delivery. */
  batch = 20 * SECOND;
  /** After this time another instance takes over an endpoint: a batch with its last attempt has ended long before. */
  lease = 60 * SECOND;
  /** How long a replaced secret still signs. */
  overlap = 24 * HOUR;
}
