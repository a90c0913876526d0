import { Injectable } from '@nestjs/common';
import type { ConnectionName, NamedRecord } from '../../platforms/connector';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { keepNamed } from '../reading/named-records.repository';
import { requestRun } from '../schedule/schedules.repository';

/** What is asked of a reading. */
export interface ReadingRequest {
  /** Everything is read, not only changes. */
  readonly whole?: boolean;
  /** Records that are read whatever the platform's lists of changes say of them; each once. */
  readonly named?: readonly NamedRecord[];
}

/** Where a reading of a live connection is asked for, as when its platform says that something has changed. */
@Injectable()
export class SyncRequests {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Asks for a run soon, on whichever instance. Requests that come before it begins are one; those that come while one
   * reads lead to one more. It comes after the pause of a connection that fails. A sandbox is not read by request.
   */
  async request(
    { customerId, platform }: ConnectionName,
    { whole = false, named = [] }: ReadingRequest = {},
  ): Promise<void> {
    await this.unitOfWork.runFor(customerId, async (tx) => {
      // Locks the schedule, so that two calls do not wait for records of each other.
      await requestRun(tx, { customerId, platform }, whole);
      await keepNamed(tx, { customerId, platform }, named);
    });
  }
}
