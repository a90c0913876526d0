import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { ConnectionName } from '../../platforms/connector';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { Found } from '../../runtime/background/work';
import type { Worker } from '../../runtime/background/worker';
import { Workers } from '../../runtime/background/workers';
import { MOST_RUNS, MOST_RUNS_OF_CUSTOMER } from './concurrent-runs';
import { Runs, type LocalRun } from './runs';
import { abandonedRuns, leftoverRuns, type NamedRun } from './leftover-runs.repository';
import { SyncTimes } from '../schedule/sync-times';
import { tidyRun } from './tidy-run';

/** The most runs, or leftovers of runs, that one query finds. */
const BATCH = 100;

interface TakenOver {
  readonly connection: ConnectionName;
  readonly run: LocalRun;
}

/** Resumes runs whose lease is over, because their instance is gone or left them, and removes what ended runs leave. */
@Injectable()
export class RunReaper implements OnApplicationBootstrap {
  private readonly takeover: Worker<ConnectionName, TakenOver>;
  private readonly cleanup: Worker<NamedRun>;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    runs: Runs,
    times: SyncTimes,
    private readonly workers: Workers,
  ) {
    const poll = 'Runs could not be looked after';
    this.takeover = workers.of<ConnectionName, TakenOver>({
      name: 'run_takeover',
      context: 'Sync',
      interval: () => times.reaper,
      mostAtOnce: MOST_RUNS,
      mostOfCustomer: MOST_RUNS_OF_CUSTOMER,
      // A stop of the service does not wait here: `Runs` waits for the runs that are in progress.
      stopTimeout: 0,
      // No caller waits for these runs, so the log is the only place for a failure.
      failure: { poll, item: 'A run that was taken over failed' },
      find: async () => ({ due: await unitOfWork.run((store) => abandonedRuns(store, BATCH)) }),
      claim: (connection) => Promise.resolve([{ connection, run: runs.join(connection) }]),
      run: async ({ run }) => void (await run.end),
      describe: (item) => ('run' in item ? described(item) : item),
    });
    this.cleanup = workers.of<NamedRun>({
      name: 'staging_cleanup',
      context: 'Sync',
      interval: () => times.reaper,
      mostAtOnce: 1,
      failure: { poll, item: 'What a run had staged could not be removed' },
      find: () => this.leftovers(),
      run: ({ customerId, runId }) =>
        unitOfWork.runFor(customerId, (tx) => tidyRun(tx, runId), { deadlines: 'bulk' }),
      describe: (run) => run,
    });
  }

  onApplicationBootstrap(): void {
    this.workers.start(this.takeover);
    this.workers.start(this.cleanup);
  }

  /** Performs one round. Runs that it takes over continue after it. */
  async reap(stop: AbortSignal): Promise<void> {
    await this.takeover.poll(stop);
    await this.cleanup.sweep(stop);
  }

  private async leftovers(after?: NamedRun): Promise<Found<NamedRun>> {
    const due = await this.unitOfWork.run((store) => leftoverRuns(store, BATCH, after));
    return due.length < BATCH ? { due } : { due, more: () => this.leftovers(due.at(-1)) };
  }
}

function described({ connection, run }: TakenOver): ConnectionName & { readonly runId?: string } {
  return { ...connection, ...(run.id !== undefined && { runId: run.id }) };
}
