import { Injectable } from '@nestjs/common';
import { markTimesTaken } from '../../database/transaction/customer-lock';
import { databaseTime } from '../../database/transaction/database-time';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { ApiError } from '../../common/errors/api-error';
import { noteEventsAt } from '../../records/events/events.repository';
import type { ConnectionName } from '../../platforms/connector';
import { SchedulesRepository } from '../schedule/schedules.repository';
import { SyncTimes } from '../schedule/sync-times';
import { clearStaging } from '../run/clear-staging';
import type { ClaimedRun } from '../run/run';
import { connectionFailing } from '../run/run-events';
import { RunsRepository } from '../run/runs.repository';

/** Ends runs that cannot go on. */
@Injectable()
export class RunFailures {
  constructor(
    private readonly runs: RunsRepository,
    private readonly schedules: SchedulesRepository,
    private readonly times: SyncTimes,
  ) {}

  /** Marks a run as failed, and removes its staged rows. A run that another instance took over stays unchanged. */
  async fail(tx: CustomerTransaction, run: ClaimedRun, { type, message }: ApiError): Promise<void> {
    await markTimesTaken(tx);
    const at = await databaseTime(tx.store);
    if (!(await this.runs.fail(tx, run, { type, message }, at))) return;
    if (run.connection.mode === 'live') {
      const failures = await this.schedules.planAfterFailure(tx, run, this.times.interval);
      if (failures === 1) noteEventsAt(tx, at, [connectionFailing(run, { type, message })]);
    }
    await clearStaging(tx, run.id);
  }

  /**
   * Ends the run under way of a live connection that is being removed, with its staged rows and its schedule. The
   * instance that works on the run gets RunLost. The caller's transaction holds the customer's lock exclusively, so the
   * run is not being published.
   */
  async endLive(tx: CustomerTransaction, name: ConnectionName, { type, message }: ApiError): Promise<void> {
    const at = await databaseTime(tx.store);
    for (const id of await this.runs.failLive(tx, name, { type, message }, at)) await clearStaging(tx, id);
    // Behind the run, because a run locks the schedule.
    await this.schedules.forget(tx, name);
  }
}
