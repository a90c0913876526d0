import { Injectable } from '@nestjs/common';

/** The time limits of tokens, in milliseconds. Tests set other values. */
@Injectable()
export class TokenTimes {
  /**
   * The lease of the instance that requests a token. It is longer than a request. After it another instance requests
   * a token.
   */
  lease = 30_000;
  /** The time limit of a token request. */
  request = 20_000;
  /** The pause between two reads of the database while waiting. */
  poll = 200;
  /** The longest wait: for the lease of a crashed instance and for a request after it. */
  maxWait = 60_000;
  /** How long an instance uses a token without checking the database. */
  cache = 5_000;
  /** The margin before a token's end within which it is not used; at most a tenth of its lifetime. */
  margin = 60_000;
}
