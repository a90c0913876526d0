import type { CustomerTransaction } from '../database/transaction/store';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { ApiError } from '../common/errors/api-error';
import { AnswerMemory, NeedsRoom } from '../common/response/memory/answer-memory';
import type { PendingAnswer } from '../common/response/memory/pending-answer';
import type { PropagateResult } from './propagate.response';
import { storedResponse, storedBytesOf } from './stored-response';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Changes that were accepted, and what became of them. */
@Injectable()
export class PropagationsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly memory: AnswerMemory,
  ) {}

  /**
   * The answer to a change with the outcomes as they are now.
   *
   * @throws ApiError NOT_FOUND when the customer has made no such change; Overloaded when no memory comes free
   */
  async get(customerId: string, id: string, answer: PendingAnswer): Promise<PropagateResult> {
    return found(
      await this.memory.withRoom(answer, (room) =>
        this.read(
          customerId,
          id,
          async (tx, named) => {
            const bytes = await storedBytesOf(tx, named);
            return bytes > room ? new NeedsRoom(bytes) : storedResponse(tx, named);
          },
          answer.gone,
        ),
      ),
    );
  }

  /**
   * The same for the request that makes the change: what is done is never refused for want of memory.
   *
   * @throws ApiError as {@link get} does
   */
  async made(customerId: string, id: string): Promise<PropagateResult> {
    return found(await this.read(customerId, id, (tx, named) => storedResponse(tx, named)));
  }

  private async read<Result>(
    customerId: string,
    id: string,
    work: (tx: CustomerTransaction, id: string) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result | undefined> {
    if (!uuid.test(id)) return undefined;
    return this.unitOfWork.runFor(customerId, (tx) => work(tx, id.toLowerCase()), {
      isolation: 'REPEATABLE READ',
      readOnly: true,
      ...(signal !== undefined && { signal }),
    });
  }
}

function found(answer: PropagateResult | undefined): PropagateResult {
  if (answer === undefined) throw new ApiError('NOT_FOUND', 'No change has this ID');
  return answer;
}
