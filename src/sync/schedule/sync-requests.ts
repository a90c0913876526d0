import { Injectable } from '@nestjs/common';
import type { ConnectionName, NamedRecord } from '../../platforms/connector';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { keepNamed } from './named-records.repository';
import { SchedulesRepository } from './schedules.repository';

/** The request of a reading. */
export interface ReadingRequest {
  /** Read everything, not only changes. */
  readonly whole?: boolean;
  /** Records that are read even if the platform's lists of changes do not name them; each once. */
  readonly named?: readonly NamedRecord[];
}

/** Requests readings of live connections, for instance when a platform reports a change. */
@Injectable()
export class SyncRequests {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly schedules: SchedulesRepository,
  ) {}

  /**
   * Requests a run soon, on any instance. Requests before the run begins share it; requests during a run lead to one
   * more. A failing connection keeps its pause. A sandbox is not read by request.
   */
  async request(
    { customerId, platform }: ConnectionName,
    { whole = false, named = [] }: ReadingRequest = {},
  ): Promise<void> {
    await this.unitOfWork.runFor(customerId, async (tx) => {
      // Locks the schedule, so that two calls do not wait for each other's records.
      await this.schedules.request(tx, { customerId, platform }, whole);
      await keepNamed(tx, { customerId, platform }, named);
    });
  }
}
