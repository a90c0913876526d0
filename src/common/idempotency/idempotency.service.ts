import { Inject, Injectable } from '@nestjs/common';
import { isJsonObject, ownMember, parseJsonText, stringifyJson } from '@app/mapper';
import type { Customer } from '../../auth/customer';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import { isLockFailure } from '../../database/connection/database-errors';
import { ApiError, isErrorType } from '../errors/api-error';
import { KeptAnswer, REPLAYED } from '../response/kept-answer';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { StorageQuota } from '../../records/storage-quota/storage-quota';
import { Claim, stillRunning } from './claim';
import type { KeyedRequest } from './keyed-request';
import { IdempotencyKeys, LEASE, type KnownKey } from './keys.repository';

/** How an endpoint answers a request whose effect is to come once. */
export interface Handling<Answer> {
  /**
   * Has the effect and answers. With a claim it holds that in the transaction of its effect ({@link Claim.hold}) and stores
   * there the answer ({@link Claim.keep}) or the name of what the answer is made of ({@link Claim.name}).
   */
  first(claim: Claim | undefined): Promise<Answer>;
  /** Answers anew from a name that was stored; undefined when nothing came of it. Needed where names are stored. */
  again?(subject: string): Promise<Answer | undefined>;
  /** The status of an answer; 200 if not said. */
  statusOf?(answer: Answer): number;
  /** Whether an answer stays as it is; true if not said. What does not is made anew for each replay. */
  isFinal?(answer: Answer): boolean;
  /** Whether a refusal (404, 409, 422) is an answer too, so that the key keeps it; true if not said. */
  readonly keepsRefusals?: boolean;
  /**
   * Whether the request only asks what would be, so that nothing but its answer is ever stored; false if not said. It is served
   * where the storage is full, and its answer is not kept then.
   */
  readonly isDryRun?: boolean;
}

/** Refusals that say something about the request. Others say that it could not be looked at, or not now. */
const lasting: ReadonlySet<string> = new Set(['NOT_FOUND', 'CONFLICT_ERROR', 'TRANSFORM_ERROR']);

/** Looks at a key before its request is told to come again: each finds the row changed by somebody else. */
const MOST_LOOKS = 5;

/** Lets requests with an `Idempotency-Key` have their effect once, and answers those that come again. */
@Injectable()
export class Idempotency {
  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly quota: StorageQuota,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Answers a request. Without a key there is nothing to it. With one, the first request has the effect, and the same
   * request gets the same answer for 24 hours.
   *
   * @throws ApiError CONFLICT_ERROR while the first runs, for another request with the same key, and for a new key where the
   *   customer has no room for it; RATE_LIMIT_ERROR for a demo customer whose storage is full; and whatever the endpoint
   *   throws, again where it was kept
   */
  async answer<Answer>(
    customer: Customer,
    request: KeyedRequest | undefined,
    handling: Handling<Answer>,
  ): Promise<Answer | KeptAnswer> {
    if (request === undefined) {
      if (handling.isDryRun !== true) await this.quota.admit(customer);
      return handling.first(undefined);
    }
    for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
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

  private async first<Answer>(
    customer: Customer,
    claim: Claim,
    handling: Handling<Answer>,
  ): Promise<KeptAnswer> {
    const renewing = setInterval(() => void this.renew(claim), LEASE / 3);
    let isKept = true;
    try {
      // Behind the key: an answer that is kept is given however full the storage is.
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

  /** The effect is there, or there is none: the answer goes out even if this fails, and the lease ends by itself. */
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
    // When the database is away, nobody waits for it twice.
    if (error instanceof ApiError && error.status < 500) await givenBack;
  }

  /** A key that cannot be given back is free again when its lease ends. */
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

/** @returns undefined when the key is free: nothing came of the request that had it */
async function replayOf<Answer>(
  { key, digest }: KeyedRequest,
  known: KnownKey,
  handling: Handling<Answer>,
): Promise<KeptAnswer | undefined> {
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
  const answer = known.subject === null ? undefined : await handling.again?.(known.subject);
  return answer === undefined ? undefined : answered(answer, handling, true);
}

function answered<Answer>(answer: Answer, handling: Handling<Answer>, isReplay: boolean): KeptAnswer {
  return new KeptAnswer(stringifyJson(answer), handling.statusOf?.(answer) ?? 200, isReplay);
}

/** @throws ApiError when the answer was a refusal */
function stored(status: number, body: string): KeptAnswer {
  if (status < 400) return new KeptAnswer(body, status, true);
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

/** That other work is under way says nothing about the request: the same one may pass a moment later. */
function isLasting({ type, cause }: ApiError): boolean {
  return lasting.has(type) && !isLockFailure(cause);
}
