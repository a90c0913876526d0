import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Claim } from '../../common/idempotency/claim';
import type { Handling } from '../../common/idempotency/idempotency.service';
import { ApiError, invalidInput } from '../../common/errors/api-error';
import { CustomerTimes } from '../../common/paging/customer-times';
import type { KnownVersions } from '../../common/request/if-match';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { CustomerTransaction } from '../../database/transaction/store';
import { asConflict, stillUnderWay } from '../../records/lock-conflict';
import { acceptanceShown } from '../cases/showing/case-record';
import { casesUntold, noteAcceptedCases } from '../comparisons/stored/case-events.repository';
import { casesNamed, type NamedCases } from '../cases/single/named-cases.repository';
import { Freshness } from '../freshness/freshness';
import { CaseNotesRepository } from '../annotations/case-notes.repository';
import { beginReview, readReviews, saveReviews } from '../annotations/case-reviews.repository';
import { isAccepted, unreviewed, type Acceptance, type Review } from '../annotations/review';
import type { NoteDto, ReviewDto, ReviewsDto } from './reviews.dto';
import type { CaseNoteResponse, CaseReview } from './reviews.response';

/** Maximum number of cases that an error names. */
const NAMED = 20;

/** What a request changes of a review. Undefined leaves it. */
interface ReviewChange {
  readonly owner: string | null | undefined;
  readonly accepted:
    | (Omit<Acceptance, 'at' | 'values'> & { readonly endsAt: string | null })
    | null
    | undefined;
}

/** A case, and the versions of it that a request names. */
type LookedAt = readonly [id: string, versions: KnownVersions];

/** Lets people assign cases, accept their differences, and write notes about them. */
@Injectable()
export class ReviewsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly freshness: Freshness,
    private readonly times: CustomerTimes,
    private readonly notes: CaseNotesRepository,
  ) {}

  /**
   * How a request about one case is handled.
   *
   * @param known the versions of the case that the caller knows; undefined for any
   */
  one(
    customerId: string,
    id: string,
    body: ReviewDto,
    known: KnownVersions | undefined,
  ): Handling<CaseReview> {
    const looked: readonly LookedAt[] = known === undefined ? [] : [[id, known]];
    return {
      first: (claim) =>
        this.review(customerId, [id], body, looked, claim, ([review]) => {
          if (review === undefined) throw new Error('A case that was reviewed has a review');
          return review;
        }),
    };
  }

  /** How a request about several cases is handled: all or none. */
  many(customerId: string, { ids, versions, ...body }: ReviewsDto): Handling<readonly CaseReview[]> {
    const looked = ids.flatMap((id, place): readonly LookedAt[] => {
      const version = versions?.[place];
      return version === undefined ? [] : [[id, [version]]];
    });
    const unique = [...new Set(ids)];
    return {
      first: (claim) => this.review(customerId, unique, body, looked, claim, (reviews) => reviews),
    };
  }

  /** How a request with a note is handled. */
  note(customerId: string, id: string, body: NoteDto): Handling<CaseNoteResponse> {
    return { first: (claim) => this.write(customerId, id, body, claim) };
  }

  /**
   * Changes the reviews of cases. It reads the digest of each case's values in the same transaction. The digest is
   * stored as the accepted values, and is compared with the version that the caller names. No refresh writes during the
   * transaction.
   *
   * @param looked the cases whose versions the caller names
   * @throws ApiError VALIDATION_ERROR without a change, or for an end in the past; NOT_FOUND and CONFLICT_ERROR that
   *   name cases that do not exist, are closed, or have another version; CONFLICT_ERROR for an acceptance of a case
   *   that a refresh has just stored, and while other work holds the customer's lock or the lock of its comparisons
   */
  private async review<Result>(
    customerId: string,
    ids: readonly string[],
    body: ReviewDto,
    looked: readonly LookedAt[],
    claim: Claim | undefined,
    responseOf: (reviews: readonly CaseReview[]) => Result,
  ): Promise<Result> {
    const change = await this.changeOf(customerId, body);
    return this.written(customerId, claim, async (tx, at) => {
      if (
        change.accepted?.endsAt !== undefined &&
        change.accepted.endsAt !== null &&
        change.accepted.endsAt <= at
      )
        throw invalidInput(['accepted.until must lie in the future']);
      const open = openCases(ids, await casesNamed(tx, ids));
      refuseStale(looked, open);
      // So a reader of the events learns of a case before its acceptance.
      if (change.accepted && (await casesUntold(tx, ids)).length > 0) throw beingCompared();
      const known = await readReviews(tx, ids);
      const changed = [...open].map(([caseId, values]) => {
        const before = known.get(caseId) ?? unreviewed;
        return { caseId, values, before, after: applied(before, change, at, values) };
      });
      await saveReviews(
        tx,
        at,
        changed
          .filter(({ before, after }) => after !== before)
          .map(({ caseId, before, after }) => ({
            ...after,
            caseId,
            endedBy: before.acceptance !== null && after.acceptance === null ? 'taken_back' : null,
          })),
      );
      noteAcceptedCases(
        tx,
        { id: randomUUID(), at },
        changed.flatMap(({ caseId, before, after: { acceptance } }) =>
          acceptance === null || acceptance === before.acceptance
            ? []
            : [{ caseId, accepted: { ...acceptanceShown(acceptance) } }],
        ),
      );
      return responseOf(
        changed.map(({ caseId, values, after: { owner, acceptance } }) => {
          const isNow = isAccepted(acceptance, values, at);
          const accepted = isNow && acceptance !== null ? acceptanceShown(acceptance) : null;
          return { id: caseId, state: isNow ? 'accepted' : 'open', owner, accepted };
        }),
      );
    });
  }

  private async write(
    customerId: string,
    caseId: string,
    { text, written_by: writtenBy }: NoteDto,
    claim: Claim | undefined,
  ): Promise<CaseNoteResponse> {
    return this.written(customerId, claim, async (tx, at) => {
      openCases([caseId], await casesNamed(tx, [caseId]));
      const id = randomUUID();
      await this.notes.insert(tx, { id, caseId, writtenAt: at, text, writtenBy });
      return { id, case_id: caseId, at, text, written_by: writtenBy };
    });
  }

  private async written<Result>(
    customerId: string,
    claim: Claim | undefined,
    work: (tx: CustomerTransaction, at: string) => Promise<Result>,
  ): Promise<Result> {
    await this.freshness.follow(customerId);
    try {
      return await this.unitOfWork.runFor(customerId, async (tx) => {
        const at = await beginReview(tx, claim && (() => claim.hold(tx.store)));
        const answer = await work(tx, at);
        claim?.keep(tx.store, answer);
        return answer;
      });
    } catch (error) {
      throw asConflict(error, 'change');
    }
  }

  private async changeOf(customerId: string, { owner, accepted }: ReviewDto): Promise<ReviewChange> {
    if (owner === undefined && accepted === undefined)
      throw invalidInput(['owner or accepted must be there']);
    if (accepted === undefined || accepted === null) return { owner, accepted };
    const { reason, decided_by: decidedBy, until } = accepted;
    const endsAt = until === undefined || until === null ? null : await this.times.last(customerId, until);
    return { owner, accepted: { reason, decidedBy, until: until ?? null, endsAt } };
  }
}

/** The digests of open cases. @throws ApiError unless all are open */
function openCases(ids: readonly string[], { open, closed }: NamedCases): ReadonlyMap<string, string> {
  const unknown = ids.filter((id) => !open.has(id) && !closed.has(id));
  if (unknown.length > 0) throw new ApiError('NOT_FOUND', `No case has the ID ${named(unknown)}`);
  const settled = ids.filter((id) => !open.has(id));
  if (settled.length > 0)
    throw new ApiError('CONFLICT_ERROR', `Closed, so nothing was done: ${named(settled)}`);
  return new Map(
    ids.map((id) => {
      const values = open.get(id);
      // A release that computes no digests has compared the object meanwhile.
      if (values === undefined || values === null) throw beingCompared();
      return [id, values];
    }),
  );
}

/** @throws ApiError that names the cases that have none of the caller's versions */
function refuseStale(looked: readonly LookedAt[], open: ReadonlyMap<string, string>): void {
  const stale = looked.filter(
    ([id, versions]) => versions !== '*' && !versions.some((version) => version === open.get(id)),
  );
  if (stale.length === 0) return;
  const cases = [...new Set(stale.map(([id]) => id))];
  throw new ApiError(
    'CONFLICT_ERROR',
    `Changed since the version that was named, so nothing was done: ${named(cases)}`,
    { details: { cases } },
  );
}

function named(ids: readonly string[]): string {
  return `${ids.slice(0, NAMED).join(', ')}${ids.length > NAMED ? ` and ${ids.length - NAMED} more` : ''}`;
}

function beingCompared(): ApiError {
  return stillUnderWay('Records are being compared; try again when that is done');
}

/** A review after a change; the same object if nothing changes. Pure. */
function applied(before: Review, { owner, accepted }: ReviewChange, at: string, values: string): Review {
  const after: Review = {
    owner: owner === undefined ? before.owner : owner,
    acceptance:
      accepted === undefined ? before.acceptance : accepted === null ? null : { ...accepted, at, values },
  };
  return after.owner === before.owner && after.acceptance === before.acceptance ? before : after;
}
