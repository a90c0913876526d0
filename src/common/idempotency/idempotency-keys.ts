import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isLockFailure } from '../../database/connection/database-errors';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { Claim, stillRunning } from './claim';
import { KeyAllowance } from './key-allowance';
import type { KeyedRequest } from './keyed-request';
import {
  endKey,
  findKey,
  insertKey,
  releaseKey,
  renewKey,
  takeOverKey,
  type KnownKey,
} from './keys.repository';

/** The keys of requests, as requests take them and give them back. */
@Injectable()
export class IdempotencyKeys {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly allowance: KeyAllowance,
  ) {}

  /**
   * Takes a key, or returns its stored state. One round trip; other requests see the row at once.
   *
   * @returns undefined if the key was released at this moment; the caller must retry
   * @throws ApiError CONFLICT_ERROR if another request is taking or answering the key right now, and if the key is new
   *   or expired and the customer has no room for it; CustomerDeleted
   */
  async take(customerId: string, request: KeyedRequest): Promise<Claim | KnownKey | undefined> {
    if (this.allowance.hasRoom(customerId)) return this.takeOrFind(customerId, request);
    const known = await findKey(this.unitOfWork, customerId, request.key);
    if (known === undefined || known.is_over) throw this.allowance.refusal(customerId);
    return known;
  }

  private async takeOrFind(
    customerId: string,
    { key, digest }: KeyedRequest,
  ): Promise<Claim | KnownKey | undefined> {
    const owner = randomUUID();
    const { isTaken, known } = await insertKey(this.unitOfWork, { customerId, key, owner }, digest).catch(
      refused,
    );
    if (!isTaken) return known;
    this.allowance.taken(customerId);
    return new Claim(customerId, key, owner);
  }

  /**
   * Takes over a key whose request is dead or whose entry has expired, if its state is unchanged.
   *
   * @returns undefined if the state has changed; the caller must look it up again
   * @throws as {@link take} does
   */
  async takeOver(
    customerId: string,
    { key, digest }: KeyedRequest,
    known: KnownKey,
  ): Promise<Claim | undefined> {
    const owner = randomUUID();
    const taken = await takeOverKey(this.unitOfWork, { customerId, key, owner }, digest, known).catch(
      refused,
    );
    if (!taken) return undefined;
    // An expired key did not count any more.
    if (known.is_over) this.allowance.taken(customerId);
    return new Claim(customerId, key, owner);
  }

  /** Counts a response that is stored under a key. */
  stored({ customerId }: Claim, text: string): void {
    this.allowance.stored(customerId, text);
  }

  /** Ends the request with or without a response. */
  async end(claim: Claim, answer?: { readonly status: number; readonly text: string }): Promise<void> {
    await endKey(this.unitOfWork, claim, claim.subject, answer);
  }

  /** Releases the key, unless a response or a name was stored under it. */
  async giveBack(claim: Claim): Promise<void> {
    await releaseKey(this.unitOfWork, claim);
  }

  /** Renews the lease of a request in progress. */
  async renew(claim: Claim): Promise<void> {
    await renewKey(this.unitOfWork, claim);
  }
}

function refused(error: unknown): never {
  throw isLockFailure(error) ? stillRunning(error) : error;
}
