import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isLockFailure } from '../../database/connection/database-errors';
import { UnitOfWork, type UnitOfWorkOptions } from '../../database/transaction/unit-of-work';
import { Claim, stillRunning } from './claim';
import { KEPT_FOR, KeyAllowance } from './key-allowance';
import type { KeyedRequest } from './keyed-request';

/** Milliseconds after which a request without a renewed lease counts as dead. */
export const LEASE = 5_000;

/** The stored state of a key. */
export interface KnownKey {
  readonly digest: string;
  readonly owner: string;
  readonly subject: string | null;
  readonly status: number | null;
  readonly body: string | null;
  readonly running: boolean;
  /** Whether the entry has expired. */
  readonly is_over: boolean;
}

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
   *   and the customer has no room for it; CustomerDeleted
   */
  async take(customerId: string, request: KeyedRequest): Promise<Claim | KnownKey | undefined> {
    if (this.allowance.hasRoom(customerId)) return this.takeOrFind(customerId, request);
    const [[known]] = await this.unitOfWork.runTogether<[KnownKey]>(
      [{ sql: find, parameters: [customerId, request.key] }],
      withoutWaiting(customerId),
    );
    if (known === undefined) throw this.allowance.refusal(customerId);
    return known;
  }

  private async takeOrFind(
    customerId: string,
    { key, digest }: KeyedRequest,
  ): Promise<Claim | KnownKey | undefined> {
    const owner = randomUUID();
    const [taken, [known]] = await this.unitOfWork
      .runTogether<[{ owner: string }, KnownKey]>(
        [
          {
            sql: `insert into idempotency_keys (customer_id, key, digest, owner, lease_until, created_at)
                  values ($1, $2, $3, $4, now() + $5 * interval '1 millisecond', now())
                  on conflict (customer_id, key) do nothing returning owner`,
            parameters: [customerId, key, digest, owner, LEASE],
          },
          { sql: find, parameters: [customerId, key] },
        ],
        withoutWaiting(customerId),
      )
      .catch(refused);
    if (taken.length === 0) return known;
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
    const [taken] = await this.unitOfWork
      .runTogether<[{ owner: string }]>(
        [
          {
            sql: `update idempotency_keys set digest = $3, owner = $4, lease_until = now() + $5 * interval '1 millisecond',
                    created_at = now(), subject = null, status = null, body = null
                  where customer_id = $1 and key = $2 and owner = $6 and (lease_until is null or lease_until < now())
                    and subject is not distinct from $7 and status is not distinct from $8
                  returning owner`,
            parameters: [
              ...[customerId, key, digest, owner, LEASE],
              ...[known.owner, known.subject, known.status],
            ],
          },
        ],
        withoutWaiting(customerId),
      )
      .catch(refused);
    return taken.length > 0 ? new Claim(customerId, key, owner) : undefined;
  }

  /** Counts a response that is stored under a key. */
  stored({ customerId }: Claim, text: string): void {
    this.allowance.stored(customerId, text);
  }

  /** Ends a request, see {@link Claim.ended}. */
  async end(claim: Claim, answer?: { readonly status: number; readonly text: string }): Promise<void> {
    await this.unitOfWork.runTogether([claim.ended(answer)], { customerId: claim.customerId });
  }

  /** Gives a key back, see {@link Claim.givenBack}. */
  async giveBack(claim: Claim): Promise<void> {
    await this.unitOfWork.runTogether(claim.givenBack(), { customerId: claim.customerId });
  }

  /**
   * Renews the lease of a request in progress. While the request's transaction locks the row, no other request can take
   * it.
   */
  async renew(claim: Claim): Promise<void> {
    const { customerId } = claim;
    try {
      await this.unitOfWork.runTogether([claim.renewed(LEASE)], withoutWaiting(customerId));
    } catch (error) {
      if (!isLockFailure(error)) throw error;
    }
  }
}

const find = `
  select digest, owner, subject, status, body, lease_until is not null and lease_until >= now() as running,
    (lease_until is null or lease_until < now()) and created_at <= now() - ${KEPT_FOR} * interval '1 millisecond' as is_over
  from idempotency_keys where customer_id = $1 and key = $2`;

/** The transaction that locks a key's row is about to answer it, so waiting is useless. */
function withoutWaiting(customerId: string): UnitOfWorkOptions {
  return { customerId, lockPatienceMs: 0 };
}

function refused(error: unknown): never {
  throw isLockFailure(error) ? stillRunning(error) : error;
}
