import { Injectable } from '@nestjs/common';
import type { OwnFields } from '@app/mapper';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { loadTerms } from './terms.repository';

/** Milliseconds for which own fields are cached. Other instances use a new definition after this time at the latest. */
const MAX_AGE_MS = 1_000;

interface Remembered {
  readonly at: number;
  readonly own: Promise<OwnFields | undefined>;
}

/**
 * Caches the own fields of customers, for requests that read nothing else from the database. One lookup per second serves
 * all requests of a customer.
 */
@Injectable()
export class OwnFieldsLookup {
  private readonly remembered = new Map<string, Remembered>();

  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** The customer's own fields; undefined if it has none. */
  find(customerId: string): Promise<OwnFields | undefined> {
    const known = this.remembered.get(customerId);
    if (known !== undefined && isFresh(known)) return known.own;
    const own = this.unitOfWork.runFor(customerId, loadTerms, { readOnly: true }).then((terms) => terms.own);
    this.forgetOld();
    this.remembered.set(customerId, { at: performance.now(), own });
    // A failed lookup is not cached.
    own.catch(() => this.forget(customerId, own));
    return own;
  }

  /** Removes a customer whose definitions have changed. @param own if given, removes only this lookup */
  forget(customerId: string, own?: Promise<OwnFields | undefined>): void {
    if (own === undefined || this.remembered.get(customerId)?.own === own) this.remembered.delete(customerId);
  }

  // An entry holds all mappings that are compiled for its definitions. The oldest come first.
  private forgetOld(): void {
    for (const [customerId, entry] of this.remembered) {
      if (isFresh(entry)) return;
      this.remembered.delete(customerId);
    }
  }
}

function isFresh({ at }: Remembered): boolean {
  return performance.now() - at < MAX_AGE_MS;
}
