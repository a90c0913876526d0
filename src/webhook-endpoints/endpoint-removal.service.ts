import { Injectable } from '@nestjs/common';
import { ApiError } from '../common/errors/api-error';
import { isPathId } from '../common/request/path-id';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { WebhookEndpointsRepository } from './webhook-endpoints.repository';

/** The removal of endpoints, over the API and by operators. It needs no key that seals their secrets. */
@Injectable()
export class EndpointRemovalService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly endpoints: WebhookEndpointsRepository,
  ) {}

  /** Removes an endpoint, with its secrets, waiting deliveries and attempts. @throws ApiError NOT_FOUND */
  async remove(customerId: string, id: string): Promise<void> {
    const isRemoved =
      isPathId(id) && (await this.unitOfWork.runFor(customerId, (tx) => this.endpoints.delete(tx, id)));
    if (!isRemoved) throw noSuchEndpoint();
  }
}

/** There is no such endpoint of the customer. */
export function noSuchEndpoint(): ApiError {
  return new ApiError('NOT_FOUND', 'No webhook endpoint has this ID');
}
