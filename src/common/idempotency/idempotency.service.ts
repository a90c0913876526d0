import { Inject, Injectable } from '@nestjs/common';
import { isJsonObject, ownMember, parseJsonText, stringifyJson } from '@app/mapper';
import type { Customer } from '../../auth/customers/customer';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import { DatabaseUnavailable, isLockFailure } from '../../database/connection/database-errors';
import { ApiError, isErrorType } from '../errors/api-error';
import { ReplayableResponse, REPLAYED } from '../response/handler-results';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { Overloaded } from '../../runtime/fairness/overloaded';
import { StorageQuota } from '../../records/storage-quota/storage-quota';
import { Claim, stillRunning } from './claim';
import type { KeyedRequest } from './keyed-request';
import { IdempotencyKeys } from './idempotency-keys';
import { LEASE, type KnownKey } from './keys.repository';

/** How an endpoint handles a request with an idempotency key. */
export interface Handling<Result> {
  /**
   * Performs the effect and returns the response. With a claim, it locks the claim in the transaction of the effect
   * ({@link Claim.hold}) and stores there the response ({@link Claim.keep}) or the name from which the response is made
   * ({@link Claim.name}).
   */
  first(claim: Claim | undefined): Promise<Result>;
  /**
   * Makes the response again from a stored name; undefined if there was no effect. Required if names are stored.
   *
   * @param hasEnded whether the request has reported its end. Otherwise its process is gone, or could not renew the lease
   */
  again?(subject: string, hasEnded: boolean): Promise<Result | undefined>;
  /** The status of a response; 200 by default. */
  statusOf?(answer: Result): number;
  /** Whether a response is final; true by default. A response that is not final is made anew for each replay. */
  isFinal?(answer: Result): boolean;
  /** Whether a refusal (404, 409, 422) is a response that the key keeps; true by default. */
  readonly keepsRefusals?: boolean;
  /**
   * Whether the request only computes a possible result, so that only its response is ever stored; false by default. It
   * is served even if the storage is full, but its response is not stored then.
   */
  readonly isDryRun?: boolean;
}

/** Refusals that depend on the request. Others mean that the request could not be processed, or not now. */
const lasting: ReadonlySet<string> = new Set(['NOT_FOUND', 'CONFLICT_ERROR', 'TRANSFORM_ERROR']);

/**
 * Maximum number of lookups of a key before the client must retry: each lookup finds that another request has changed
 * the row.
 */
const MOST_LOOKUPS = 5;

/** Lets requests with an `Idempotency-Key` have their effect once, and answers repeated requests. */
@Injectable()
export class Idempotency {
  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly quota: StorageQuota,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Answers a request. A request without a key is simply handled. With a key, the first request has the effect, and
   * repeated requests get the same response for 24 hours.
   *
   * @throws ApiError CONFLICT_ERROR while the first request is in progress, for another request with the same key, and
   *   for a new key if the customer has no room for it; RATE_LIMIT_ERROR for a demo customer whose storage is full; and
   *   whatever the endpoint throws, or threw if that was stored
   */
  async answer<Result>(
    customer: Customer,
    request: KeyedRequest | undefined,
    handling: Handling<Result>,
  ): Promise<Result | ReplayableResponse> {
    if (request === undefined) {
      if (handling.isDryRun !== true) await this.quota.admit(customer);
      return handling.first(undefined);
    }
    for (let lookups = 0; lookups < MOST_LOOKUPS; lookups += 1) {
      const found = await this.keys.take(customer.id, request);
      if (found === undefined) continue;
      if (found instanceof Claim) return this.first(customer, found, handling);
      if (!found.is_over) {
        const replay = await replayOf(request, found, handling);
        if (replay !== undefined) return replay;
      }
      const claim = await this.keys.takeOver(customer.id, request, found);
      if (claim !== undefined) return this.first(customer, claim, handling);
    }
    throw stillRunning();
  }

  private async first<Result>(
    customer: Customer,
    claim: Claim,
    handling: Handling<Result>,
  ): Promise<ReplayableResponse> {
    const renewing = setInterval(() => void this.renew(claim), LEASE / 3);
    let isKept = true;
    try {
      // Checked after the key: a stored response is returned however full the storage is.
      if (handling.isDryRun === true) isKept = await this.quota.hasRoom(customer);
      else await this.quota.admit(customer);
      if (!isKept) {
        const given = answered(await handling.first(undefined), handling, false);
        await this.giveBack(claim);
        return given;
      }
      const answer = await handling.first(claim);
      if (claim.kept !== undefined) {
        this.keys.stored(claim, claim.kept.text);
        return claim.kept;
      }
      const given = answered(answer, handling, false);
      await this.end(claim, (handling.isFinal?.(answer) ?? true) ? given : undefined);
      return given;
    } catch (error) {
      await this.refuse(claim, error, isKept && (handling.keepsRefusals ?? true));
      throw error;
    } finally {
      clearInterval(renewing);
    }
  }

  /** The effect is decided at this point. The response is sent even if this fails, and the lease expires by itself. */
  private async end(
    claim: Claim,
    answer?: { readonly status: number; readonly text: string },
  ): Promise<void> {
    await this.keys.end(claim, answer).catch((error: unknown) => this.warn(claim, error));
    if (answer !== undefined) this.keys.stored(claim, answer.text);
  }

  private async refuse(claim: Claim, error: unknown, keepsRefusals: boolean): Promise<void> {
    if (error instanceof ApiError && keepsRefusals && isLasting(error)) {
      const { type, message, status, details } = error;
      return this.end(claim, { status, text: stringifyJson({ type, message, details }) });
    }
    const givenBack = this.giveBack(claim);
    // During a database outage, the client does not wait for the database again.
    if (!(error instanceof DatabaseUnavailable || error instanceof Overloaded)) await givenBack;
  }

  /** If a key cannot be released, it becomes free when its lease ends. */
  private async giveBack(claim: Claim): Promise<void> {
    await this.keys.giveBack(claim).catch((failure: unknown) => this.warn(claim, failure));
  }

  private async renew(claim: Claim): Promise<void> {
    await this.keys.renew(claim).catch((error: unknown) => this.warn(claim, error));
  }

  private warn({ customerId }: Claim, err: unknown): void {
    if (err instanceof CustomerDeleted) return;
    const who = { context: 'Idempotency', customer_id: customerId };
    this.logger.warn({ ...who, err }, 'What became of a key could not be stored');
  }
}

/** @returns undefined if the key is free: its request had no effect */
async function replayOf<Result>(
  { key, digest }: KeyedRequest,
  known: KnownKey,
  handling: Handling<Result>,
): Promise<ReplayableResponse | undefined> {
  const isDead = !known.running && known.status === null && known.subject === null;
  if (isDead) return undefined;
  if (known.digest !== digest) {
    throw new ApiError(
      'CONFLICT_ERROR',
      `The Idempotency-Key ${key} was used for another request; a new request needs a new key`,
    );
  }
  if (known.running) throw stillRunning();
  if (known.status !== null && known.body !== null) return stored(known.status, known.body);
  const answer = known.subject === null ? undefined : await handling.again?.(known.subject, known.has_ended);
  return answer === undefined ? undefined : answered(answer, handling, true);
}

function answered<Result>(answer: Result, handling: Handling<Result>, isReplay: boolean): ReplayableResponse {
  return new ReplayableResponse(stringifyJson(answer), handling.statusOf?.(answer) ?? 200, isReplay);
}

/** @throws ApiError if the stored response is a refusal */
function stored(status: number, body: string): ReplayableResponse {
  if (status < 400) return new ReplayableResponse(body, status, true);
  const error = parseJsonText(body);
  const member = (name: string) => (isJsonObject(error) ? ownMember(error, name) : undefined);
  const [type, message, details] = [member('type'), member('message'), member('details')];
  if (typeof type !== 'string' || !isErrorType(type) || typeof message !== 'string') {
    throw new Error('A kept refusal cannot be read');
  }
  throw new ApiError(type, message, {
    status,
    headers: { [REPLAYED]: 'true' },
    ...(isJsonObject(details) && { details }),
  });
}

/** A refusal because of concurrent work does not depend on the request: the same request may succeed a moment later. */
function isLasting({ type, cause }: ApiError): boolean {
  return lasting.has(type) && !isLockFailure(cause);
}
