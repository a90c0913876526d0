import { stringifyJson } from '@app/mapper';
import type { Statement } from '../../database/transaction/unit-of-work';
import type { Store } from '../../database/transaction/store';
import { ApiError } from '../errors/api-error';
import { KeptAnswer } from '../response/kept-answer';

/** The answer to a key whose request has not ended. */
export function stillRunning(cause?: unknown): ApiError {
  return new ApiError(
    'CONFLICT_ERROR',
    'The request with this Idempotency-Key is still under way; try again when it is done',
    { cause, headers: { 'Retry-After': '1' } },
  );
}

/** A key's row is addressed by customer, key and the one request that has it. */
const OWN = 'customer_id = $1 and key = $2 and owner = $3';

/**
 * The right of one request to have the effect under its key. The work of the request holds it in the transaction of its
 * effect, and stores there the answer, or what the answer can be made of: both are there or neither.
 */
export class Claim {
  private keptAnswer: KeptAnswer | undefined;
  private named: string | undefined;

  constructor(
    readonly customerId: string,
    readonly key: string,
    readonly owner: string,
  ) {}

  /** The answer that was stored with the effect; it counts when the work ends well. */
  get kept(): KeptAnswer | undefined {
    return this.keptAnswer;
  }

  /**
   * Locks the key until the transaction ends. To be asked for with the transaction's first statements, behind the lock of the
   * customer: whoever removes the customer takes them in that order.
   *
   * @throws ApiError CONFLICT_ERROR when another request has taken the key over, because this one seemed to be dead
   */
  async hold(store: Store): Promise<void> {
    // The work may be begun again, and come to something else.
    this.keptAnswer = undefined;
    this.named = undefined;
    const rows = await store.query(`select 1 from idempotency_keys where ${OWN} for update`, this.own);
    if (rows.length === 0) throw stillRunning();
  }

  /** Stores the answer, with the commit. The key counts as answered from then on. */
  keep(store: Store, answer: unknown, status = 200): void {
    this.keptAnswer = new KeptAnswer(stringifyJson(answer), status, false);
    store.queryLater(`update idempotency_keys set lease_until = null, status = $4, body = $5 where ${OWN}`, [
      ...this.own,
      status,
      this.keptAnswer.text,
    ]);
  }

  /** Stores by which name the effect is known, for an answer that will only be known later. */
  name(store: Store, subject: string): void {
    this.named = subject;
    store.queryLater(`update idempotency_keys set subject = $4 where ${OWN}`, [...this.own, subject]);
  }

  /** Notes such a name for the end of the request, where there is no effect of its own that it could be stored with. */
  note(subject: string): void {
    this.named = subject;
  }

  /** Ends the request with an answer, or without one: then there is the name, if any. */
  ended(answer?: { readonly status: number; readonly text: string }): Statement {
    return {
      sql: `update idempotency_keys set lease_until = null, subject = coalesce($4, subject),
              status = coalesce($5, status), body = coalesce($6, body)
            where ${OWN}`,
      parameters: [...this.own, this.named ?? null, answer?.status ?? null, answer?.text ?? null],
    };
  }

  /** Gives the key back, unless something was stored under it. */
  givenBack(): readonly [Statement, Statement] {
    return [
      {
        sql: `delete from idempotency_keys where ${OWN} and status is null and subject is null`,
        parameters: this.own,
      },
      { sql: `update idempotency_keys set lease_until = null where ${OWN}`, parameters: this.own },
    ];
  }

  /** Says that the request still runs. */
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
