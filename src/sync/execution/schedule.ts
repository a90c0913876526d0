import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { ConnectionName } from '../../platforms/connector';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { Worker } from '../../runtime/background/worker';
import { Workers } from '../../runtime/background/workers';
import type { ClaimedRun } from '../run/run';
import { Runs } from './runs';
import { SchedulesRepository } from '../schedule/schedules.repository';
import { SyncTimes } from '../schedule/sync-times';

/** Runs of the schedule that one instance works on at a time. */
const MOST_AT_ONCE = 4;

/** Connections that one look finds. A customer has as many as there are platforms, so others are always among them. */
const LOOK = 100;

/** Reads live connections again when they are due. Of all instances one starts the run: its row is the claim. */
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
      mostAtOnce: MOST_AT_ONCE,
      // What is in progress when the service stops is left to the runs.
      stopTimeout: 0,
      failure: {
        look: 'The schedule could not be read',
        item: 'A run of the schedule could not be started',
      },
      find: async () => ({
        due: await unitOfWork.run((store) => schedules.due(store, times.interval, LOOK)),
      }),
      claim: (connection) => runs.claimDue(connection),
      run: (run) => runs.workOn(run),
      describe: (item) => ('connection' in item ? item.connection : item),
    });
  }

  onApplicationBootstrap(): void {
    this.workers.start(this.worker);
  }

  /** Starts what is due, as far as there is room: one run of a customer at a time, those that have waited longest first. */
  look(stop: AbortSignal): Promise<void> {
    return this.worker.look(stop);
  }

  /** Resolves when no run of the schedule is under way here. */
  idle(): Promise<void> {
    return this.worker.idle();
  }
}
