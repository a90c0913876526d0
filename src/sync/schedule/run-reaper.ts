import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { logOf } from '../../runtime/tracing/logged-work';
import { BackgroundTasks } from '../../runtime/background/background-tasks';
import { Runs } from '../run/runs';
import { clearStaging } from '../run/clear-staging';
import { abandonedRuns, leftoverRuns } from '../run/runs.repository';
import { SyncTimes } from './sync-times';

/** The most runs, or leftovers of runs, in one round. */
const BATCH = 10;

/** Resumes runs whose lease has expired because their instance is gone, and removes the staged rows of ended runs. */
@Injectable()
export class RunReaper implements OnApplicationBootstrap {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly runs: Runs,
    private readonly times: SyncTimes,
    private readonly background: BackgroundTasks,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.background.start({
      pause: this.times.reaper,
      run: (stop) => this.reap(stop),
      failure: 'Runs could not be looked after',
      context: 'Sync',
    });
  }

  /** Performs one round. */
  async reap(stop: AbortSignal): Promise<void> {
    await this.resumeAbandoned();
    if (!stop.aborted) await this.clearLeftovers();
  }

  private async resumeAbandoned(): Promise<void> {
    const abandoned = await this.unitOfWork.run((store) => abandonedRuns(store, BATCH));
    for (const { customerId, platform } of abandoned) {
      const run = this.runs.join({ customerId, platform });
      // No caller waits for this run, so the log is the only place for a failure.
      run.end.catch((error: unknown) => {
        const runId = run.id === undefined ? {} : { runId: run.id };
        logOf(this.logger, { customerId, platform, ...runId }).warn(
          { context: 'Sync', err: error },
          'A run that was taken over failed',
        );
      });
    }
  }

  private async clearLeftovers(): Promise<void> {
    const left = await this.unitOfWork.run((store) => leftoverRuns(store, BATCH));
    // A failure for one run must not stop the removal for others.
    for (const { customerId, runId } of left) {
      await this.unitOfWork
        .runFor(customerId, (tx) => clearStaging(tx, runId), { deadlines: 'bulk' })
        .catch((error: unknown) => {
          logOf(this.logger, { customerId, runId }).warn(
            { context: 'Sync', err: error },
            'What a run had staged could not be removed',
          );
        });
    }
  }
}
