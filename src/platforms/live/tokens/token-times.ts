import { Injectable } from '@nestjs/common';

/** How long things of a token take, in milliseconds. Tests set other values. */
@Injectable()
export class TokenTimes {
  /** How long the others wait for the one who asks the platform, before they take it for dead. Longer than a request. */
  lease = 30_000;
  /** How long a platform may take for a token. */
  request = 20_000;
  /** Between two looks of those who wait. */
  look = 200;
  /** How long they wait: for a dead one's lease, and for a request after it. */
  patience = 60_000;
  /** How long an instance uses a token without looking whether it is still the one. */
  cache = 5_000;
  /** So long before its end a token is used no more; at most a tenth of its life. */
  margin = 60_000;
}
