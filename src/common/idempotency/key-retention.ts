import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { StorageQuota } from '../../records/storage-quota/storage-quota';
import { Retention } from '../../runtime/background/retention';
import { Workers } from '../../runtime/background/workers';
import { Clock } from '../../runtime/clock/clock';
import { KEPT_FOR } from './keyed-request';
import { customersWithOldKeys, deleteOldKeys } from './keys.repository';

const HOUR = 3_600_000;

/** Deletes keys whose responses are no longer replayed. Keys of requests in progress stay. */
@Injectable()
export class KeyRetention extends Retention {
  protected readonly name = 'key_retention';
  protected readonly failure = 'Old idempotency keys could not be removed';
  protected readonly customers = customersWithOldKeys;

  constructor(
    unitOfWork: UnitOfWork,
    clock: Clock,
    workers: Workers,
    private readonly quota: StorageQuota,
  ) {
    super(unitOfWork, clock, workers, { life: KEPT_FOR, pause: HOUR });
  }

  protected async remove(customerId: string, before: Date): Promise<void> {
    await this.unitOfWork.runFor(customerId, (tx) => deleteOldKeys(tx, before), { deadlines: 'bulk' });
    await this.quota.recount(customerId);
  }
}
