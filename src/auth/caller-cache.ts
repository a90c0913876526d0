import { Injectable } from '@nestjs/common';
import type { Caller } from './caller';

/**
 * Milliseconds for which a key that was looked up needs no other look-up. So a revocation works within this time on every
 * instance, also on one that hears nothing of it.
 */
export const MAX_AGE_MS = 1_000;

/** Keys that are remembered: those that somebody has, and those that nobody has. Together they take less than 8 MB. */
export const MOST_KEYS = { known: 10_000, refused: 1_000 } as const;

/** When a look-up was begun, and what had been forgotten by then. */
export interface LookUpStart {
  readonly at: number;
  readonly generation: number;
}

interface Entry {
  readonly caller: Caller;
  /** By the cache's clock; afterwards the entry says only that the key was somebody's. */
  readonly until: number;
}

/** Who keys belong to, by their hashes, for as long as that may be believed. */
@Injectable()
export class CallerCache {
  private readonly known = new Map<string, Entry>();
  private readonly ofCustomer = new Map<string, Set<string>>();
  private readonly refused = new Map<string, number>();
  private forgotten = 0;

  /** @param now a clock in milliseconds that never goes back */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** How often something was forgotten. A look-up that was begun under another number may have missed a change. */
  get generation(): number {
    return this.forgotten;
  }

  /** The caller; null for a key that nobody has; undefined when a look-up has to tell. */
  find(hash: string): Caller | null | undefined {
    const entry = this.known.get(hash);
    if (entry !== undefined) return entry.until > this.now() ? entry.caller : undefined;
    const until = this.refused.get(hash);
    return until !== undefined && until > this.now() ? null : undefined;
  }

  /** Whether a key was somebody's when it was last looked up. */
  wasKnown(hash: string): boolean {
    return this.known.has(hash);
  }

  /** To be called before the statement of a look-up is sent: what it finds counts from then. */
  ask(): LookUpStart {
    return { at: this.now(), generation: this.forgotten };
  }

  /** @param lifetime milliseconds after which the key itself ends */
  remember(hash: string, caller: Caller, asked: LookUpStart, lifetime: number): void {
    if (asked.generation !== this.forgotten) return;
    this.remove(hash);
    this.known.set(hash, { caller, until: asked.at + Math.min(lifetime, MAX_AGE_MS) });
    const hashes = this.ofCustomer.get(caller.customer.id) ?? new Set();
    this.ofCustomer.set(caller.customer.id, hashes.add(hash));
    if (this.known.size > MOST_KEYS.known) this.remove(oldestOf(this.known));
  }

  /** Keys are random, so one that nobody has today was made up: nobody will have it within a second. */
  refuse(hash: string, asked: LookUpStart): void {
    this.remove(hash);
    this.refused.delete(hash);
    this.refused.set(hash, asked.at + MAX_AGE_MS);
    if (this.refused.size > MOST_KEYS.refused) this.refused.delete(oldestOf(this.refused) ?? '');
  }

  /** Forgets the keys of a customer, and what look-ups find that have been begun. */
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

/** A Map gives its keys in the order in which they were set. */
function oldestOf(map: ReadonlyMap<string, unknown>): string | undefined {
  for (const key of map.keys()) return key;
  return undefined;
}
