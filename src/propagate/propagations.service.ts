import type { CustomerTransaction } from '../database/transaction/store';
import { Injectable } from '@nestjs/common';
import { ONE_SNAPSHOT, UnitOfWork } from '../database/transaction/unit-of-work';
import { ApiError } from '../common/errors/api-error';
import { Cursors, Paged, PAGE_SIZE } from '../common/paging/paging';
import { isTimeText, isUuid } from '../common/paging/sort-keys';
import { isPathId } from '../common/request/path-id';
import { CustomerTimes } from '../common/paging/customer-times';
import { ResponseMemory, NeedsRoom } from '../common/response/memory/response-memory';
import type { PendingResponse } from '../common/response/memory/pending-response';
import type { PropagateResult } from './propagate.response';
import {
  bytesOfChanges,
  findChanges,
  type ChangeFilter,
  type ChangePosition,
  type FoundChanges,
} from '../outbox/history/listed-changes.repository';
import type { PropagationsQuery } from './propagations.dto';
import type { ListedPropagation } from './propagations.response';
import { PropagationsRepository } from '../outbox/history/propagations.repository';
import { OperatorDecisionsRepository } from '../outbox/operator/operator-decisions.repository';
import { listedChanges, storedResponse, storedBytesOf, type ChangeReader } from './stored-response';

const cursors = new Cursors<readonly [at: string, id: string]>('propagations', [isTimeText, isUuid]);

/** The most stored bytes that a page is made of. A single change with more bytes is a page of its own. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Changes whose bytes are counted in one batch. */
const COUNTED_AT_ONCE = 25;

/** Reads accepted changes with their outcomes. */
@Injectable()
export class PropagationsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly memory: ResponseMemory,
    private readonly times: CustomerTimes,
    private readonly changes: PropagationsRepository,
    private readonly decisions: OperatorDecisionsRepository,
  ) {}

  /**
   * The answer to a change with the outcomes as they are now.
   *
   * @throws ApiError NOT_FOUND when the customer has made no such change; Overloaded when no memory comes free
   */
  async get(customerId: string, id: string, answer: PendingResponse): Promise<PropagateResult> {
    return found(
      await this.memory.withRoom(answer, (room) =>
        this.read(
          customerId,
          id,
          async (reader, named) => {
            const bytes = await storedBytesOf(reader, named);
            return bytes > room ? new NeedsRoom(bytes) : storedResponse(reader, named);
          },
          answer.gone,
        ),
      ),
    );
  }

  /**
   * Like {@link get}, without a limit on memory. It serves the request that made the change: the change is stored, so
   * its response must not fail for want of memory.
   *
   * @throws ApiError NOT_FOUND when the customer has made no such change
   */
  async getUnbounded(customerId: string, id: string): Promise<PropagateResult> {
    return found(await this.read(customerId, id, storedResponse));
  }

  /** Like {@link getUnbounded}, in the caller's transaction; undefined when the customer has made no such change. */
  findIn(tx: CustomerTransaction, id: string): Promise<PropagateResult | undefined> {
    return storedResponse(this.reader(tx), id);
  }

  /**
   * A page of changes, newest first.
   *
   * @throws ApiError VALIDATION_ERROR for a cursor of another query; Overloaded when no memory comes free
   */
  async list(
    customerId: string,
    { limit = PAGE_SIZE.usual, cursor, ...query }: PropagationsQuery,
    answer: PendingResponse,
  ): Promise<Paged<readonly ListedPropagation[]>> {
    const [at, id] = cursor === undefined ? [] : cursors.decode(customerId, { ...query }, cursor);
    const before = at === undefined || id === undefined ? undefined : { at, id };
    const filter = await this.filterOf(customerId, query);
    const page = await this.memory.withRoom(answer, (room) =>
      this.unitOfWork.runFor(
        customerId,
        async (tx) => {
          const found = await findChanges(tx, filter, { before, limit });
          const { changes, next, bytes } = await withinBytes(tx, found);
          if (bytes > room) return new NeedsRoom(bytes);
          const ids = changes.map((change) => change.id);
          return { rows: await listedChanges(this.reader(tx), ids), next };
        },
        { ...ONE_SNAPSHOT, signal: answer.gone },
      ),
    );
    const { rows, next } = page;
    return new Paged(
      rows,
      next === undefined ? null : cursors.encode(customerId, { ...query }, [next.at, next.id]),
    );
  }

  private async filterOf(
    customerId: string,
    { state, platform, entity_type, canonical_id, since, until }: Omit<PropagationsQuery, 'limit' | 'cursor'>,
  ): Promise<ChangeFilter> {
    return {
      state,
      platform,
      entityType: entity_type,
      canonicalId: canonical_id,
      since: since === undefined ? undefined : await this.times.first(customerId, since),
      until: until === undefined ? undefined : await this.times.last(customerId, until),
    };
  }

  private async read<Result>(
    customerId: string,
    id: string,
    work: (reader: ChangeReader, id: string) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result | undefined> {
    if (!isPathId(id)) return undefined;
    return this.unitOfWork.runFor(customerId, (tx) => work(this.reader(tx), id.toLowerCase()), {
      ...ONE_SNAPSHOT,
      ...(signal !== undefined && { signal }),
    });
  }

  private reader(tx: CustomerTransaction): ChangeReader {
    return { tx, changes: this.changes, decisions: this.decisions };
  }
}

/** The refusal of an ID that no change of the customer has. */
export function noSuchChange(): ApiError {
  return new ApiError('NOT_FOUND', 'No change has this ID');
}

/** @throws ApiError NOT_FOUND when there is no change */
export function found(answer: PropagateResult | undefined): PropagateResult {
  if (answer === undefined) throw noSuchChange();
  return answer;
}

/** The first changes of a page, as many as its bytes admit and one at least. */
async function withinBytes(
  tx: CustomerTransaction,
  { changes, next }: FoundChanges,
): Promise<FoundChanges & { readonly bytes: number }> {
  const fitting: ChangePosition[] = [];
  let total = 0;
  for (let place = 0; place < changes.length; place += COUNTED_AT_ONCE) {
    const batch = changes.slice(place, place + COUNTED_AT_ONCE);
    const bytes = await bytesOfChanges(
      tx,
      batch.map(({ id }) => id),
    );
    for (const change of batch) {
      const own = bytes.get(change.id) ?? 0;
      if (fitting.length > 0 && total + own > MOST_BYTES)
        return { changes: fitting, next: fitting.at(-1), bytes: total };
      total += own;
      fitting.push(change);
    }
  }
  return { changes: fitting, next, bytes: total };
}
