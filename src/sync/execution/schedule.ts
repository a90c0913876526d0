import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { ConnectionName } from '../../platforms/connector';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { Worker } from '../../runtime/background/worker';
import { Workers } from '../../runtime/background/workers';
import type { ClaimedRun } from '../run/run';
import { MOST_RUNS, MOST_RUNS_OF_CUSTOMER } from './concurrent-runs';
import { Runs } from './runs';
import { SchedulesRepository } from '../schedule/schedules.repository';
import { SyncTimes } from '../schedule/sync-times';

/** The most connections that one query finds. A customer has one per platform, so several customers are always among them. */
const BATCH = 100;

/** Reads live connections again when they are due. Exactly one instance starts the run, because its row is the claim. */
@Injectable()
export class SyncSchedule implements OnApplicationBootstrap {
  private readonly worker: Worker<ConnectionName, ClaimedRun>;

  constructor(
    unitOfWork: UnitOfWork,
    runs: Runs,
    schedules: SchedulesRepository,
    times: SyncTimes,
    private readonly workers: Workers,
  ) {
    this.worker = workers.of<ConnectionName, ClaimedRun>({
      name: 'sync_schedule',
      context: 'Sync',
      interval: () => times.schedule,
      mostAtOnce: MOST_RUNS,
      mostOfCustomer: MOST_RUNS_OF_CUSTOMER,
      // A stop of the service does not wait here: `Runs` waits for the runs that are in progress.
      stopTimeout: 0,
      failure: {
        poll: 'The schedule could not be read',
        item: 'A run of the schedule could not be started',
      },
      find: async () => ({
        due: await unitOfWork.run((store) => schedules.due(store, times.interval, BATCH)),
      }),
      claim: (connection) => runs.claimDue(connection),
      run: (run) => runs.workOn(run),
      describe: (item) => ('connection' in item ? item.connection : item),
    });
  }

  onApplicationBootstrap(): void {
    this.workers.start(this.worker);
  }

  /** Starts as many due runs as there is room for. The longest waiting ones come first. */
  poll(stop: AbortSignal): Promise<void> {
    return this.worker.poll(stop);
  }

  /** Resolves when no run of the schedule is under way here. */
  idle(): Promise<void> {
    return this.worker.idle();
  }
}
