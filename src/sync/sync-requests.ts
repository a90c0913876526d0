import { Injectable } from '@nestjs/common';
import type { ConnectionName } from '../connectors/connector';
import { UnitOfWork } from '../database/unit-of-work';
import type { RunRequest } from './run';
import { requestRun } from './schedules.repository';

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
    { whole = false }: Pick<RunRequest, 'whole'> = {},
  ): Promise<void> {
    await this.unitOfWork.run((store) => requestRun(store, { customerId, platform }, whole), { customerId });
  }
}
