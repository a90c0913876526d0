import { Injectable } from '@nestjs/common';
import { nativeIdFrom } from '@app/mapper';
import { CsvFiles } from '../../common/csv/csv-files';
import { ApiError, invalidInput } from '../../common/errors/api-error';
import { ResponseMemory } from '../../common/response/memory/response-memory';
import type { PendingResponse } from '../../common/response/memory/pending-response';
import { Cursors, Paged, PAGE_SIZE } from '../../common/paging/paging';
import { isTimeText, isUuid } from '../../common/paging/sort-keys';
import { isPathId } from '../../common/request/path-id';
import type { StreamedText } from '../../common/response/handler-results';
import type { Claim } from '../../common/idempotency/claim';
import type { Handling } from '../../common/idempotency/idempotency.service';
import { nameOf } from '../../matching/rule/link-constraints';
import type { Decided, TransactionHooks } from '../../matching/decisions/decide';
import type { ListedDecision } from '../../matching/decisions/decisions.repository';
import type { StoredDecision } from '../../matching/rule/stored-decision';
import { MatchingDecisions } from '../../matching/decisions/decisions.service';
import type { DecisionResult, MatchingDecision } from './decisions.response';
import { decisionsFile } from './decisions-file';
import type { DecisionDto, DecisionsQuery, WithdrawalDto } from './decisions.dto';

const cursors = new Cursors<readonly [at: string, id: string]>('decisions', [isTimeText, isUuid]);

/** Maximum number of records that a response names. */
const NAMED = 100;

/** Memory that is reserved for a decision until it is made: two reasons of 2,000 characters, names and IDs. */
const DECISION_MEMORY = 24 * 1024;

/** Handles decisions of the API. */
@Injectable()
export class DecisionsService {
  constructor(
    private readonly decisions: MatchingDecisions,
    private readonly memory: ResponseMemory,
    private readonly files: CsvFiles,
  ) {}

  /** How a request for a decision with an idempotency key is handled. */
  once(customerId: string, body: DecisionDto): Handling<DecisionResult> {
    return {
      first: (claim) => this.make(customerId, body, claim),
      isDryRun: body.dry_run === true,
    };
  }

  /** How a withdrawal is handled. Without a key a repetition finds the decision already withdrawn, and no effects. */
  ending(customerId: string, id: string, body: WithdrawalDto): Handling<DecisionResult> {
    return {
      first: (claim) => this.withdraw(customerId, id, body, claim),
      isDryRun: body.dry_run === true,
    };
  }

  /**
   * @param claim receives the response with the decision
   * @throws ApiError 400, 404 or 409; CustomerDeleted
   */
  async make(customerId: string, body: DecisionDto, claim?: Claim): Promise<DecisionResult> {
    const [one, other] = body.records;
    if (one?.platform === other?.platform) throw invalidInput(['records must be of two different platforms']);
    const dryRun = body.dry_run === true;
    const wanted = {
      decision: body.decision,
      entityType: body.entity_type,
      records: body.records.map(({ platform, platform_id: id }) => ({
        platform,
        platformId: nativeIdFrom(platform, id),
      })),
      reason: body.reason,
      decidedBy: body.decided_by,
    };
    const decided = await this.decisions.make(customerId, wanted, dryRun, keptWith(claim, dryRun));
    return resultOf(decided, dryRun);
  }

  /**
   * @param claim receives the response with the withdrawal
   * @throws ApiError 404 or 409; CustomerDeleted
   */
  async withdraw(
    customerId: string,
    id: string,
    body: WithdrawalDto,
    claim?: Claim,
  ): Promise<DecisionResult> {
    if (!isPathId(id)) throw new ApiError('NOT_FOUND', 'No decision has this ID');
    const dryRun = body.dry_run === true;
    const why = { reason: body.reason, decidedBy: body.decided_by };
    const alongside = keptWith(claim, dryRun);
    const decided = await this.decisions.withdraw(customerId, id.toLowerCase(), why, dryRun, alongside);
    return resultOf(decided, dryRun);
  }

  /** All decisions of a query as a file, regardless of its page. */
  async file(
    customerId: string,
    query: DecisionsQuery,
    requestId: string,
    answer: PendingResponse,
  ): Promise<StreamedText> {
    // The memory of one full page at a time.
    await this.memory.reserve(answer, DECISION_MEMORY * PAGE_SIZE.most);
    const { status, decision, entity_type: entityType } = query;
    const all = await this.decisions.all(customerId, { status, decision, entityType });
    const table = decisionsFile({ asOf: all.asOf, counts: all.counts, pages: responsesOf(all.pages) });
    return this.files.file({ customerId, query, requestId }, table, {
      name: 'reconciliation-decisions',
      asOf: all.asOf,
    });
  }

  /** @throws ApiError 400 for a cursor of another query; Overloaded if no memory becomes free */
  async list(
    customerId: string,
    { status, decision, entity_type: entityType, limit, cursor }: DecisionsQuery,
    answer: PendingResponse,
  ): Promise<Paged<readonly MatchingDecision[]>> {
    const filter = { status, decision, entityType };
    const [at, id] = cursor === undefined ? [] : cursors.decode(customerId, filter, cursor);
    const most = limit ?? PAGE_SIZE.usual;
    await this.memory.reserve(answer, DECISION_MEMORY * most);
    const { decisions, more } = await this.decisions.page(customerId, {
      ...filter,
      limit: most,
      before: at === undefined || id === undefined ? undefined : { at, id },
    });
    const last = more ? decisions.at(-1) : undefined;
    return new Paged(
      decisions.map(listedOf),
      last === undefined ? null : cursors.encode(customerId, filter, [last.at, last.decision.id]),
    );
  }
}

/** Stores the response under its key in the transaction of its effect. */
function keptWith(claim: Claim | undefined, dryRun: boolean): TransactionHooks | undefined {
  return (
    claim && {
      begun: (store) => claim.hold(store),
      ended: (store, decided) => claim.keep(store, resultOf(decided, dryRun)),
    }
  );
}

function resultOf({ decision, isNew, reassigned, objects }: Decided, dryRun: boolean): DecisionResult {
  const shown = responseOf(decision, (record) => objects.get(nameOf(record)) ?? null);
  return {
    ...shown,
    // A dry run creates no decision, so its ID refers to nothing.
    id: dryRun && isNew && shown.status === 'standing' ? null : shown.id,
    effects: {
      records: reassigned.slice(0, NAMED).map(({ entityType, platform, platformId, object, was }) => ({
        entity_type: entityType,
        platform,
        platform_id: platformId,
        canonical_id: object,
        was,
      })),
      records_total: reassigned.length,
    },
    dry_run: dryRun,
  };
}

async function* responsesOf(
  pages: AsyncIterable<readonly ListedDecision[]>,
): AsyncGenerator<readonly MatchingDecision[], void, undefined> {
  for await (const page of pages) yield page.map(listedOf);
}

function listedOf({ decision, objects }: ListedDecision): MatchingDecision {
  return responseOf(decision, (_record, place) => objects[place] ?? null);
}

function responseOf(
  decision: StoredDecision,
  objectOf: (record: StoredDecision['records'][number], place: number) => string | null,
): MatchingDecision {
  const { withdrawn } = decision;
  return {
    id: decision.id,
    decision: decision.decision,
    entity_type: decision.entityType,
    records: decision.records.map((record, place) => ({
      platform: record.platform,
      platform_id: record.platformId,
      canonical_id: objectOf(record, place),
    })),
    reason: decision.reason,
    decided_by: decision.decidedBy,
    decided_at: decision.decidedAt.toISOString(),
    status: withdrawn === null ? 'standing' : 'withdrawn',
    withdrawn: withdrawn && { at: withdrawn.at.toISOString(), by: withdrawn.by, reason: withdrawn.reason },
  };
}
