import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { ConnectionName } from '../connectors/connector';
import { UnitOfWork } from '../database/unit-of-work';
import { ApiError } from '../errors/api-error';
import { noCounts, RunLost, type ClaimedRun, type TypeCounts } from './run';
import { RunExecution } from './run-execution';
import { claimRun, readRun } from './runs.repository';
import { SyncTimes } from './sync-times';

/** A run that this process works on or waits for. */
export interface RunHere {
  /** Records that the platform has here at the end. Rejects when the run fails. */
  readonly end: Promise<TypeCounts>;
  /** Records read so far. */
  readonly counts: TypeCounts;
}

/** The runs that callers of this process wait for. All who want the same one share it. */
@Injectable()
export class Runs implements BeforeApplicationShutdown {
  private readonly here = new Map<string, RunHere>();
  private readonly stopping = new AbortController();
  private waiting = 0;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly execution: RunExecution,
    private readonly times: SyncTimes,
  ) {}

  /** Callers that wait for the end of a run at the moment. */
  get callers(): number {
    return this.waiting;
  }

  /** Waits for the end of a run, as long as the signal allows; undefined when it aborts first. */
  async await(run: RunHere, signal: AbortSignal): Promise<TypeCounts | undefined> {
    this.waiting += 1;
    try {
      const aborted = new Promise<undefined>((resolve) => {
        signal.addEventListener('abort', () => resolve(undefined), { once: true });
      });
      return await Promise.race([run.end, aborted]);
    } finally {
      this.waiting -= 1;
    }
  }

  /** Starts the run of a connection, or joins the one under way on this or another instance. */
  join(connection: ConnectionName): RunHere {
    const name = `${connection.customerId} ${connection.platform}`;
    const known = this.here.get(name);
    if (known !== undefined) return known;
    const counts: { latest: TypeCounts } = { latest: noCounts() };
    const end = this.bring(connection, (latest) => (counts.latest = latest)).finally(() =>
      this.here.delete(name),
    );
    // Everybody may have left by the time it fails.
    end.catch(() => undefined);
    const run: RunHere = {
      end,
      get counts() {
        return counts.latest;
      },
    };
    this.here.set(name, run);
    return run;
  }

  /** Lets runs under way end if they can in a moment; others are left for another instance. */
  async beforeApplicationShutdown(): Promise<void> {
    const ends = Promise.allSettled([...this.here.values()].map(({ end }) => end));
    const patience = new AbortController();
    await Promise.race([ends, sleep(this.times.farewell, undefined, { signal: patience.signal })]);
    patience.abort();
    this.stopping.abort(new Error('The service stops'));
    await Promise.race([ends, sleep(this.times.farewell, undefined, { ref: false })]);
  }

  private async bring(
    connection: ConnectionName,
    progressed: (counts: TypeCounts) => void,
  ): Promise<TypeCounts> {
    for (;;) {
      this.stopping.signal.throwIfAborted();
      const claim = await this.unitOfWork.run((store) => claimRun(store, connection, this.times.lease), {
        customerId: connection.customerId,
      });
      if (claim === undefined) continue;
      const ended =
        'run' in claim
          ? await this.work(claim.run, progressed)
          : await this.follow(connection, claim.elsewhere, progressed);
      if (ended !== undefined) return ended;
      await sleep(this.times.look, undefined, { ref: false });
    }
  }

  private async work(
    run: ClaimedRun,
    progressed: (counts: TypeCounts) => void,
  ): Promise<TypeCounts | undefined> {
    try {
      return await this.execution.execute(run, this.stopping.signal, progressed);
    } catch (error) {
      if (!(error instanceof RunLost)) throw error;
      return this.follow(run.connection, run.id, progressed);
    }
  }

  /** Waits for a run of another instance, with short looks at its row. Undefined when nobody works on it any more. */
  private async follow(
    { customerId }: ConnectionName,
    id: string,
    progressed: (counts: TypeCounts) => void,
  ): Promise<TypeCounts | undefined> {
    for (;;) {
      this.stopping.signal.throwIfAborted();
      const state = await this.unitOfWork.run((store) => readRun(store, customerId, id), {
        customerId,
        readOnly: true,
      });
      switch (state.status) {
        case 'done':
          return state.result;
        case 'failed':
          throw new ApiError(state.type, state.message);
        case 'running':
          if (state.abandoned) return undefined;
          progressed(state.counts);
      }
      await sleep(this.times.look, undefined, { ref: false });
    }
  }
}
