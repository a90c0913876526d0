import { randomUUID } from 'node:crypto';

/**
 * The names under which one instance claims commands. Each claim has an owner of its own. After a lease has expired, the
 * same instance may claim the command again while its first attempt still runs. The result of that attempt is then not
 * recorded, because the attempt's owner has lost the lease.
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
