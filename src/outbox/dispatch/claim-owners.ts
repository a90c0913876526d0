import { randomUUID } from 'node:crypto';

/**
 * The owners of the claims of one instance. Each claim has one of its own: when a lease has ended, the instance that claims a
 * command again may be the one whose first attempt still hangs, and that one has nothing to say any more.
 */
export class ClaimOwners {
  /** With what all of them begin, so that people who look at a lease see whose it is. */
  readonly instance = randomUUID().slice(0, 24);
  private claims = 0;

  /** A UUID that no claim has had. */
  next(): string {
    this.claims += 1;
    return `${this.instance}${this.claims.toString(16).padStart(12, '0')}`;
  }
}
