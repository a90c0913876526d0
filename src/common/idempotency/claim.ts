import { stringifyJson } from '@app/mapper';
import type { Statement } from '../../database/transaction/unit-of-work';
import type { Store } from '../../database/transaction/store';
import { ApiError } from '../errors/api-error';
import { KeptAnswer } from '../response/kept-answer';

/** The response to a key whose request is still in progress. */
export function stillRunning(cause?: unknown): ApiError {
  return new ApiError(
    'CONFLICT_ERROR',
    'The request with this Idempotency-Key is still under way; try again when it is done',
    { cause, headers: { 'Retry-After': '1' } },
  );
}

/** A key's row is addressed by the customer, the key and the request that owns it. */
const OWN = 'customer_id = $1 and key = $2 and owner = $3';

/**
 * The right of one request to have the effect under its key. The request's work locks the key in the transaction of its
 * effect. It stores the response there, or the name from which the response can be made. The effect and the response
 * are therefore committed together.
 */
export class Claim {
  private keptAnswer: KeptAnswer | undefined;
  private named: string | undefined;

  constructor(
    readonly customerId: string,
    readonly key: string,
    readonly owner: string,
  ) {}

  /** The response that was stored with the effect. It is valid if the work succeeds. */
  get kept(): KeptAnswer | undefined {
    return this.keptAnswer;
  }

  /**
   * Locks the key until the transaction ends. Must be called with the transaction's first statements, after the
   * customer's lock: a transaction that deletes the customer takes the locks in that order.
   *
   * @throws ApiError CONFLICT_ERROR if another request has taken the key over, because this one seemed to be dead
   */
  async hold(store: Store): Promise<void> {
    // A retry of the work may have another result.
    this.keptAnswer = undefined;
    this.named = undefined;
    const rows = await store.query(`select 1 from idempotency_keys where ${OWN} for update`, this.own);
    if (rows.length === 0) throw stillRunning();
  }

  /** Stores the response at commit. From then on the key counts as answered. */
  keep(store: Store, answer: unknown, status = 200): void {
    this.keptAnswer = new KeptAnswer(stringifyJson(answer), status, false);
    store.queryLater(`update idempotency_keys set lease_until = null, status = $4, body = $5 where ${OWN}`, [
      ...this.own,
      status,
      this.keptAnswer.text,
    ]);
  }

  /** Stores the name of the effect, for a response that is only known later. */
  name(store: Store, subject: string): void {
    this.named = subject;
    store.queryLater(`update idempotency_keys set subject = $4 where ${OWN}`, [...this.own, subject]);
  }

  /** Keeps such a name for the end of the request, if there is no transaction to store it in. */
  note(subject: string): void {
    this.named = subject;
  }

  /** Ends the request with or without a response. Without one, the stored name remains, if any. */
  ended(answer?: { readonly status: number; readonly text: string }): Statement {
    return {
      sql: `update idempotency_keys set lease_until = null, subject = coalesce($4, subject),
              status = coalesce($5, status), body = coalesce($6, body)
            where ${OWN}`,
      parameters: [...this.own, this.named ?? null, answer?.status ?? null, answer?.text ?? null],
    };
  }

  /** Releases the key, unless a response or a name was stored under it. */
  givenBack(): readonly [Statement, Statement] {
    return [
      {
        sql: `delete from idempotency_keys where ${OWN} and status is null and subject is null`,
        parameters: this.own,
      },
      { sql: `update idempotency_keys set lease_until = null where ${OWN}`, parameters: this.own },
    ];
  }

  /** Renews the lease of the running request. */
  renewed(milliseconds: number): Statement {
    return {
      sql: `update idempotency_keys set lease_until = now() + $4 * interval '1 millisecond'
            where ${OWN} and lease_until is not null`,
      parameters: [...this.own, milliseconds],
    };
  }

  private get own(): readonly string[] {
    return [this.customerId, this.key, this.owner];
  }
}
