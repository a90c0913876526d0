import { Inject, Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { Retention } from '../runtime/background/retention';
import { Workers } from '../runtime/background/workers';
import { Clock } from '../runtime/clock/clock';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import { customersWithOldRequests, PassthroughRequestsRepository } from './passthrough-requests.repository';

/** Deletes requests of callers that were sent longer ago than history is kept. */
@Injectable()
export class PassthroughRetention extends Retention {
  protected readonly name = 'passthrough_retention';
  protected readonly failure = 'Old requests to platforms could not be removed';
  protected readonly customers = customersWithOldRequests;

  constructor(
    unitOfWork: UnitOfWork,
    clock: Clock,
    workers: Workers,
    @Inject(ENVIRONMENT) { historyTtlMs }: Environment,
    private readonly requests: PassthroughRequestsRepository,
  ) {
    super(unitOfWork, clock, workers, { life: historyTtlMs });
  }

  protected async remove(customerId: string, before: Date, stop: AbortSignal): Promise<void> {
    await this.removeInParts(customerId, before, stop, [(tx, ...old) => this.requests.deleteOld(tx, ...old)]);
  }
}
