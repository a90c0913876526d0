import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Claim } from '../../common/idempotency/claim';
import type { Handling } from '../../common/idempotency/idempotency.service';
import { ApiError, invalidInput } from '../../common/errors/api-error';
import { CustomerTimes } from '../../common/paging/customer-times';
import { isPathId } from '../../common/request/path-id';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import { lockCustomer } from '../../database/transaction/customer-lock';
import { databaseTime } from '../../database/transaction/database-time';
import type { CustomerTransaction } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { noteEventsAt } from '../../records/events/events.repository';
import { asConflict } from '../../records/lock-conflict';
import { statementFrom, type StatementBooks } from '../statement/statement-record';
import type { StatementQuery } from '../statement/statement.dto';
import type { StatementResponse } from '../statement/statement.response';
import { StatementService } from '../statement/statement.service';
import { comparedWith, SignoffComparison } from './compared-signoffs';
import { statementSigned } from './signoff-events';
import { signedFigures } from './signed-figures';
import { signerKeyOf } from './signer-key';
import { figuresFrom, signoffFrom } from './signoff-record';
import type { SignoffDto, SignoffWithdrawalDto } from './signoffs.dto';
import { SignoffsRepository } from './signoffs.repository';
import type { Signoff } from './signoffs.response';
import type { SignedScope, StoredSignoff } from './stored-signoff';

/** Signs statements for people, and withdraws their sign-offs. */
@Injectable()
export class SignoffsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly statements: StatementService,
    private readonly signoffs: SignoffsRepository,
    private readonly comparison: SignoffComparison,
    private readonly times: CustomerTimes,
  ) {}

  /** How a request to sign is handled. */
  signing(customerId: string, body: SignoffDto, gone: AbortSignal): Handling<Signoff> {
    return { first: (claim) => this.sign(customerId, body, claim, gone) };
  }

  /** How a withdrawal is handled. Without a key a repetition finds the sign-off already withdrawn. */
  withdrawing(customerId: string, id: string, body: SignoffWithdrawalDto): Handling<Signoff> {
    return { first: (claim) => this.withdraw(customerId, id, body, claim) };
  }

  /**
   * Signs the statement that the request names. The statement shows a past time, so its figures cannot change between
   * the computation and the signature.
   *
   * @throws ApiError of {@link StatementService.statement}; CONFLICT_ERROR for an incomplete statement, another digest,
   *   a review without a preparer, a name that is under the digest already, and while other work holds the customer's
   *   lock
   */
  private async sign(
    customerId: string,
    body: SignoffDto,
    claim: Claim | undefined,
    gone: AbortSignal,
  ): Promise<Signoff> {
    const { as_of: day, role, signed_by: signedBy, note = null } = body;
    const signedByKey = signerKeyOf(signedBy);
    if (signedByKey === undefined) throw invalidInput(['signed_by must name a person']);
    const asOf = await this.times.last(customerId, day);
    const books = await this.statements.pastBooks(customerId, statementOf(body), asOf, gone);
    const { digest } = body;
    refuseOther(statementFrom(books), digest);
    const [scope, figures] = [scopeOf(books, body), signedFigures(books)];
    await this.statements.follow(customerId);
    const present = await this.comparison.presentOf(customerId, new Map([[digest, scope]]), gone);
    const now = present.get(digest);
    const compared = now && comparedWith(figures, now);
    const wanted = {
      ...scope,
      id: randomUUID(),
      role,
      digest,
      asOf,
      signedBy,
      signedByKey,
      note,
      isOutdated: false,
    };
    return this.written(customerId, claim, async (tx, at) => {
      const standing = await this.signoffs.lockStanding(tx, digest);
      refuseReview(wanted, standing);
      const signed = { ...wanted, signedAt: at };
      const isThere = standing.some((one) => isSigner(one, signedByKey));
      if (isThere || !(await this.signoffs.insert(tx, signed, figures)))
        throw new ApiError(
          'CONFLICT_ERROR',
          `${signedBy} has signed this statement already; nobody signs it twice, or reviews what they prepared`,
        );
      noteEventsAt(tx, at, [statementSigned(signed)]);
      const answer = {
        ...signoffFrom({ ...signed, withdrawn: null }, compared, Infinity),
        figures: figuresFrom(figures),
      };
      claim?.keep(tx.store, answer);
      return answer;
    });
  }

  /**
   * @throws ApiError NOT_FOUND; CONFLICT_ERROR for the last preparation to which a standing review refers, and while
   *   other work holds the customer's lock
   */
  private withdraw(
    customerId: string,
    id: string,
    { reason, decided_by: by }: SignoffWithdrawalDto,
    claim: Claim | undefined,
  ): Promise<Signoff> {
    return this.written(customerId, claim, async (tx, at) => {
      const known = isPathId(id) ? await this.signoffs.find(tx, id) : undefined;
      if (known === undefined) throw new ApiError('NOT_FOUND', 'No sign-off has this ID');
      const standing = await this.signoffs.lockStanding(tx, known.digest);
      const own = standing.find((one) => one.id === known.id);
      // Another request may have withdrawn it meanwhile.
      if (own === undefined) return signoffFrom((await this.signoffs.find(tx, id)) ?? known, undefined);
      refuseUnderReview(own, standing);
      const withdrawn = { at, reason, by };
      await this.signoffs.withdraw(tx, own.id, withdrawn);
      const answer = signoffFrom({ ...own, withdrawn }, undefined);
      claim?.keep(tx.store, answer);
      return answer;
    });
  }

  private async written<Result>(
    customerId: string,
    claim: Claim | undefined,
    work: (tx: CustomerTransaction, at: string) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await this.unitOfWork.runFor(customerId, async (tx) => {
        if (!(await lockCustomer(tx, 'shared'))) throw new CustomerDeleted();
        await claim?.hold(tx.store);
        return await work(tx, await databaseTime(tx.store));
      });
    } catch (error) {
      throw asConflict(error, 'decision');
    }
  }
}

/** @throws ApiError CONFLICT_ERROR if the statement is not complete, or is not the one that the signer read */
function refuseOther({ complete, reasons, digest: present }: StatementResponse, digest: string): void {
  if (!complete)
    throw new ApiError(
      'CONFLICT_ERROR',
      `The statement is not complete, so it cannot be signed: ${reasons.map(({ detail }) => detail).join('; ')}`,
      { details: { reasons: reasons.map(({ reason }) => reason) } },
    );
  if (present !== digest)
    throw new ApiError(
      'CONFLICT_ERROR',
      `The statement has another digest: ${present}; read it again before you sign`,
      { details: { digest: present } },
    );
}

/** The statement that a body names. */
function statementOf(body: SignoffDto): StatementQuery {
  return {
    platforms: body.platforms,
    entity_type: body.entity_type ?? undefined,
    project_id: body.project_id ?? undefined,
    currency: body.currency,
    through: body.through ?? undefined,
  };
}

function scopeOf({ scope }: StatementBooks, body: SignoffDto): SignedScope {
  return {
    platforms: [scope.left, scope.right],
    entityType: body.entity_type ?? null,
    projectId: scope.projectId ?? null,
    currency: scope.currency,
    through: scope.through ?? null,
  };
}

/** @throws ApiError CONFLICT_ERROR for a review of a statement that nobody has prepared, or that the reviewer has prepared */
function refuseReview(
  { role, signedBy, signedByKey }: Pick<StoredSignoff, 'role' | 'signedBy' | 'signedByKey'>,
  standing: readonly StoredSignoff[],
): void {
  if (role !== 'reviewed') return;
  const prepared = standing.filter((one) => one.role === 'prepared');
  if (prepared.length === 0)
    throw new ApiError('CONFLICT_ERROR', 'Nobody has prepared a statement with this digest');
  if (prepared.some((one) => isSigner(one, signedByKey)))
    throw new ApiError(
      'CONFLICT_ERROR',
      `${signedBy} has prepared this statement, so another person must review it`,
    );
}

/** Whether a sign-off bears a name. A former release has kept keys of names that have characters without a glyph. */
function isSigner({ signedBy }: StoredSignoff, key: string): boolean {
  return signerKeyOf(signedBy) === key;
}

/** @throws ApiError CONFLICT_ERROR for the only preparation of a reviewed statement */
function refuseUnderReview(own: StoredSignoff, standing: readonly StoredSignoff[]): void {
  const isOnly = standing.filter(({ role }) => role === 'prepared').length === 1;
  const reviews = standing.filter(({ role }) => role === 'reviewed');
  if (own.role !== 'prepared' || !isOnly || reviews.length === 0) return;
  const named = reviews.slice(0, NAMED).map(({ id, signedBy }) => `${id} by ${signedBy}`);
  throw new ApiError('CONFLICT_ERROR', `Withdraw the review of this statement first: ${named.join(', ')}`, {
    details: { reviews: reviews.slice(0, NAMED).map(({ id }) => id) },
  });
}

/** Maximum number of reviews that an error names. */
const NAMED = 20;
