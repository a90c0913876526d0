import { Injectable } from '@nestjs/common';
import { StorageQuota } from '../../records/storage-quota/storage-quota';
import { Retention } from '../../runtime/background/retention';
import { KEPT_FOR } from './keyed-request';
import { customersWithOldKeys, deleteOldKeys } from './keys.repository';

const HOUR = 3_600_000;

/** Deletes keys whose responses are no longer replayed. Keys of requests in progress stay. */
@Injectable()
export class KeyRetention extends Retention {
  protected readonly name = 'key_retention';
  protected readonly failure = 'Old idempotency keys could not be removed';
  protected readonly customers = customersWithOldKeys;

  constructor(private readonly quota: StorageQuota) {
    super();
  }

  protected override get life(): number {
    return KEPT_FOR;
  }

  protected override get pause(): number {
    return HOUR;
  }

  protected async remove(customerId: string, before: Date): Promise<void> {
    await this.unitOfWork.runFor(customerId, (tx) => deleteOldKeys(tx, before), { deadlines: 'bulk' });
    await this.quota.recount(customerId);
  }
}
