import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work';
import { ApiError } from '../errors/api-error';
import type { PropagateResult } from './propagate.answer';
import { storedAnswer } from './stored-answer';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Changes that were accepted, and what became of them. */
@Injectable()
export class PropagationsService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * The answer to a change with the outcomes as they are now.
   *
   * @throws ApiError NOT_FOUND when the customer has made no such change
   */
  async get(customerId: string, id: string): Promise<PropagateResult> {
    const answer = uuid.test(id) ? await this.find(customerId, id.toLowerCase()) : undefined;
    if (answer === undefined) throw new ApiError('NOT_FOUND', 'No change has this ID');
    return answer;
  }

  private find(customerId: string, id: string): Promise<PropagateResult | undefined> {
    return this.unitOfWork.run((store) => storedAnswer(store, customerId, id), {
      customerId,
      isolation: 'REPEATABLE READ',
      readOnly: true,
    });
  }
}
