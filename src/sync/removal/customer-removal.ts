import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../../auth/api-keys.service';
import { CustomersRepository } from '../../auth/customers/customers.repository';
import { ApiError } from '../../common/errors/api-error';
import { UnknownCustomer } from '../../database/transaction/customer-deleted';
import { lockCustomer } from '../../database/transaction/customer-lock';
import type { CustomerTransaction } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { platformsWithCredentials } from '../../platforms/credentials/credentials.repository';
import { deleteEvents } from '../../records/events/events.repository';
import { asConflict } from '../../records/lock-conflict';
import { clearStaging } from '../run/clear-staging';

/** How long the removal waits for work under way for the customer, in milliseconds. */
const LOCK_WAIT_MS = 20_000;

/** Deletes a customer with everything that belongs to it. */
@Injectable()
export class CustomerRemoval {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly keys: ApiKeysService,
    private readonly customers: CustomersRepository,
  ) {}

  /**
   * Deletes the customer within the caller's transaction, which holds the customer's lock exclusively. So no work that
   * takes this lock is in progress, and none can begin; a run may still be between two of its transactions.
   *
   * @returns whether there was such a customer
   */
  async remove(tx: CustomerTransaction): Promise<boolean> {
    await this.keys.removeAll(tx);
    const removed = await this.customers.delete(tx);
    // After the customer's row is deleted, a run in progress can stage no more rows.
    await clearStaging(tx);
    await deleteEvents(tx);
    return removed;
  }

  /**
   * Deletes a customer for an operator. A live connection has to be removed first, because its webhooks at the platform
   * end with its credentials.
   *
   * @throws UnknownCustomer
   * @throws ApiError CONFLICT_ERROR while live connections exist, and if work for the customer does not end within 20 s
   */
  async removeUnconnected(customerId: string): Promise<void> {
    try {
      await this.unitOfWork.runFor(
        customerId,
        async (tx) => {
          if (!(await lockCustomer(tx, 'exclusive'))) throw new UnknownCustomer(customerId);
          const live = await platformsWithCredentials(tx);
          if (live.length > 0) throw stillLive(customerId, live);
          await this.remove(tx);
        },
        { deadlines: 'bulk', lockWaitMs: LOCK_WAIT_MS },
      );
    } catch (error) {
      throw asConflict(error, 'connection');
    } finally {
      // Also when it is unknown whether it was removed: the keys are then looked up again.
      this.keys.forget(customerId);
    }
  }
}

function stillLive(customerId: string, platforms: readonly string[]): ApiError {
  const commands = platforms.map(
    (platform) => `connections remove --customer ${customerId} --platform ${platform}`,
  );
  return new ApiError(
    'CONFLICT_ERROR',
    `The customer has live connections; end them first: ${commands.join('; ')}`,
  );
}
