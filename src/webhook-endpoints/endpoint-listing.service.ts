import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { shownEndpoint } from './shown-endpoint';
import { WebhookEndpointsRepository } from './webhook-endpoints.repository';
import type { EndpointResponse } from './webhook-endpoints.response';

/** The endpoints of a customer, over the API and for operators. */
@Injectable()
export class EndpointListingService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly endpoints: WebhookEndpointsRepository,
  ) {}

  /** All endpoints, the oldest first. */
  async list(customerId: string): Promise<readonly EndpointResponse[]> {
    const endpoints = await this.unitOfWork.runFor(customerId, (tx) => this.endpoints.list(tx), {
      readOnly: true,
    });
    return endpoints.map(shownEndpoint);
  }
}
