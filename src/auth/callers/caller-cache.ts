import { Injectable } from '@nestjs/common';
import type { Caller } from './caller';

/**
 * Milliseconds for which a key that was looked up needs no further lookup. A revocation therefore takes effect within
 * this time on every instance, even on an instance that does not receive the notification.
 */
export const MAX_AGE_MS = 1_000;

/** Maximum number of cached keys: valid ones, and unknown ones. Together they take less than 8 MB. */
export const MOST_KEYS = { known: 10_000, refused: 1_000 } as const;

/** When a lookup began, and the cache's generation at that time. */
export interface LookUpStart {
  readonly at: number;
  readonly generation: number;
}

interface Entry {
  readonly caller: Caller;
  /** By the cache's clock. After this time the entry only shows that the key was valid once. */
  readonly until: number;
}

/** The callers of keys, by the hash of the key, for a limited time. */
@Injectable()
export class CallerCache {
  private readonly known = new Map<string, Entry>();
  private readonly ofCustomer = new Map<string, Set<string>>();
  private readonly refused = new Map<string, number>();
  private forgotten = 0;

  /** @param now a monotonic clock in milliseconds */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** The number of invalidations so far. A lookup that began in an earlier generation may have missed a change. */
  get generation(): number {
    return this.forgotten;
  }

  /** The caller; null for an unknown key; undefined if a lookup is needed. */
  find(hash: string): Caller | null | undefined {
    const entry = this.known.get(hash);
    if (entry !== undefined) return entry.until > this.now() ? entry.caller : undefined;
    const until = this.refused.get(hash);
    return until !== undefined && until > this.now() ? null : undefined;
  }

  /** Whether a key was valid at its last lookup. */
  wasKnown(hash: string): boolean {
    return this.known.has(hash);
  }

  /** Must be called before the statement of a lookup is sent: the lifetime of the result starts here. */
  ask(): LookUpStart {
    return { at: this.now(), generation: this.forgotten };
  }

  /** @param lifetime milliseconds after which the key itself expires */
  remember(hash: string, caller: Caller, asked: LookUpStart, lifetime: number): void {
    if (asked.generation !== this.forgotten) return;
    this.remove(hash);
    this.known.set(hash, { caller, until: asked.at + Math.min(lifetime, MAX_AGE_MS) });
    const hashes = this.ofCustomer.get(caller.customer.id) ?? new Set();
    this.ofCustomer.set(caller.customer.id, hashes.add(hash));
    if (this.known.size > MOST_KEYS.known) this.remove(oldestOf(this.known));
  }

  /** Keys are random, so an unknown key was made up, and no key will match it within a second. */
  refuse(hash: string, asked: LookUpStart): void {
    this.remove(hash);
    this.refused.delete(hash);
    this.refused.set(hash, asked.at + MAX_AGE_MS);
    if (this.refused.size > MOST_KEYS.refused) this.refused.delete(oldestOf(this.refused) ?? '');
  }

  /** Invalidates the keys of a customer, and the results of lookups in progress. */
  forget(customerId: string): void {
    this.forgotten += 1;
    for (const hash of this.ofCustomer.get(customerId) ?? []) this.remove(hash);
  }

  private remove(hash: string | undefined): void {
    const entry = hash === undefined ? undefined : this.known.get(hash);
    if (hash === undefined || entry === undefined) return;
    this.known.delete(hash);
    const { id } = entry.caller.customer;
    const hashes = this.ofCustomer.get(id);
    hashes?.delete(hash);
    if (hashes?.size === 0) this.ofCustomer.delete(id);
  }
}

/** A Map iterates over its keys in insertion order. */
function oldestOf(map: ReadonlyMap<string, unknown>): string | undefined {
  for (const key of map.keys()) return key;
  return undefined;
}
