import { randomUUID } from 'node:crypto';

/**
 * The owners of the claims of one instance. Each claim has an owner of its own: after a lease has ended, the same instance may
 * claim the command again while its first attempt still hangs. The result of that attempt is then refused.
 */
export class ClaimOwners {
  /** The common prefix of the owners. It shows operators which instance holds a lease. */
  readonly instance = randomUUID().slice(0, 24);
  private claims = 0;

  /** A new UUID for a claim. */
  next(): string {
    this.claims += 1;
    return `${this.instance}${this.claims.toString(16).padStart(12, '0')}`;
  }
}
