import { Injectable } from '@nestjs/common';
import { Retention } from '../runtime/background/retention';
import { customersWithOldRequests, PassthroughRequestsRepository } from './passthrough-requests.repository';

/** Deletes requests of callers that were sent longer ago than history is kept. */
@Injectable()
export class PassthroughRetention extends Retention {
  protected readonly name = 'passthrough_retention';
  protected readonly failure = 'Old requests to platforms could not be removed';
  protected readonly customers = customersWithOldRequests;

  constructor(private readonly requests: PassthroughRequestsRepository) {
    super();
  }

  protected async remove(customerId: string, before: Date, stop: AbortSignal): Promise<void> {
    await this.removeInParts(customerId, before, stop, [(tx, ...old) => this.requests.deleteOld(tx, ...old)]);
  }
}
