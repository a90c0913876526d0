import { stringifyJson } from '@app/mapper';
import type { Store } from '../../database/transaction/store';
import { ApiError } from '../errors/api-error';
import { ReplayableResponse } from '../response/handler-results';
import { lockKey, nameEffect, storeResponse } from './keys.repository';

/** The response to a key whose request is still in progress. */
export function stillRunning(cause?: unknown): ApiError {
  return new ApiError(
    'CONFLICT_ERROR',
    'The request with this Idempotency-Key is still under way; try again when it is done',
    { cause, headers: { 'Retry-After': '1' } },
  );
}

/**
 * The right of one request to have the effect under its key. The request's work locks the key in the transaction of its
 * effect. It stores the response there, or the name from which the response can be made. The effect and the response
 * are therefore committed together.
 */
export class Claim {
  private keptResponse: ReplayableResponse | undefined;
  private named: string | undefined;

  constructor(
    readonly customerId: string,
    readonly key: string,
    readonly owner: string,
  ) {}

  /** The response that was stored with the effect. It is valid if the work succeeds. */
  get kept(): ReplayableResponse | undefined {
    return this.keptResponse;
  }

  /**
   * Locks the key until the transaction ends. Must be called with the transaction's first statements, after the
   * customer's lock: a transaction that deletes the customer takes the locks in that order.
   *
   * @throws ApiError CONFLICT_ERROR if another request has taken the key over, because this one seemed to be dead
   */
  async hold(store: Store): Promise<void> {
    // A retry of the work may have another result.
    this.keptResponse = undefined;
    this.named = undefined;
    if (!(await lockKey(store, this))) throw stillRunning();
  }

  /** Stores the response at commit. From then on the key counts as answered. */
  keep(store: Store, answer: unknown): void {
    this.keptResponse = new ReplayableResponse(stringifyJson(answer), 200, false);
    storeResponse(store, this, this.keptResponse);
  }

  /** Stores the name of the effect, for a response that is only known later. */
  name(store: Store, subject: string): void {
    this.named = subject;
    nameEffect(store, this, subject);
  }

  /** Forgets the stored name at commit, because there was no effect. The key is free when the request ends. */
  unname(store: Store): void {
    this.named = undefined;
    nameEffect(store, this, null);
  }

  /** The name of the effect, if the request has one. */
  get subject(): string | undefined {
    return this.named;
  }

  /** Keeps such a name for the end of the request, if there is no transaction to store it in. */
  note(subject: string): void {
    this.named = subject;
  }
}
