import { Inject, Injectable } from '@nestjs/common';
import { Admission } from '../../runtime/fairness/admission';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { Customer } from '../customers/customer';
import { ApiKeysRepository } from '../keys/api-keys.repository';
import type { Caller } from './caller';
import { CallerCache, MAX_AGE_MS, type LookUpStart } from './caller-cache';

/** Maximum number of concurrent lookups of keys that had no valid lookup before. */
const STRANGERS_AT_ONCE = 2;

/** A lookup that all concurrent requests with the same key share. */
interface LookUp {
  /** Undefined while the lookup waits for a connection. */
  asked: LookUpStart | undefined;
  result: Promise<Caller | undefined>;
}

/**
 * Finds the caller of a request. A result is valid for a second at most, and not beyond the key's own end, by the
 * database's clock.
 */
@Injectable()
export class CallerLookup {
  private readonly underWay = new Map<string, LookUp>();
  // Addresses that send unknown keys take turns. Requests with known keys never wait for them.
  private readonly strangers = new Admission(STRANGERS_AT_ONCE);

  constructor(
    private readonly cache: CallerCache,
    @Inject(UnitOfWork) private readonly unitOfWork: Pick<UnitOfWork, 'run'>,
    @Inject(ApiKeysRepository) private readonly keys: Pick<ApiKeysRepository, 'findInUse'>,
  ) {}

  /**
   * The caller of a key; undefined if the key is unknown, revoked or expired. The lookup reads only the keys, because
   * the customer may be on another server: a demo key belongs to a demo customer, any other key to a customer of the
   * operator.
   *
   * @param hash of the key
   * @param address the client's address
   * @throws DatabaseUnavailable, Overloaded
   */
  find(hash: string, address: () => string): Caller | undefined | Promise<Caller | undefined> {
    const known = this.cache.find(hash);
    return known === undefined ? this.lookUp(hash, address()) : (known ?? undefined);
  }

  // Requests with the same key share a lookup, so a flood of them does not delay requests with other keys. A lookup
  // that began before an invalidation may have missed its cause and is not shared.
  private lookUp(hash: string, address: string): Promise<Caller | undefined> {
    const other = this.underWay.get(hash);
    if (other !== undefined && (other.asked?.generation ?? this.cache.generation) === this.cache.generation) {
      return other.result;
    }
    const lookUp: LookUp = { asked: undefined, result: Promise.resolve(undefined) };
    lookUp.result = this.inTurn(hash, address, lookUp).finally(() => {
      if (this.underWay.get(hash) === lookUp) this.underWay.delete(hash);
    });
    this.underWay.set(hash, lookUp);
    return lookUp.result;
  }

  private async inTurn(hash: string, address: string, lookUp: LookUp): Promise<Caller | undefined> {
    if (this.cache.wasKnown(hash)) return this.read(hash, lookUp);
    const patient = new AbortController().signal;
    const leave = await this.strangers.acquireConnection({ customerId: address, kind: 'short' }, patient);
    try {
      return await this.read(hash, lookUp);
    } finally {
      leave();
    }
  }

  private read(hash: string, lookUp: LookUp): Promise<Caller | undefined> {
    return this.unitOfWork.run(async (store) => {
      const asked = (lookUp.asked = this.cache.ask());
      const row = await this.keys.findInUse(store, hash, MAX_AGE_MS);
      if (row === undefined) {
        this.cache.refuse(hash, asked);
        return undefined;
      }
      const { id: keyId, customer_id: id, mode, permissions, lifetime } = row;
      const customer: Customer = {
        id,
        kind: mode === 'demo' ? 'demo' : 'standard',
        ...(row.has_own_fields && { hasOwnFields: true }),
      };
      const caller: Caller = { customer, mode, keyId, permissions };
      this.cache.remember(hash, caller, asked, lifetime);
      return caller;
    });
  }
}
