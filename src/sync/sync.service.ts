import { Injectable } from '@nestjs/common';
import type { ConnectionMode, ConnectionName } from '../platforms/connector';
import { CustomerDeleted } from '../database/transaction/customer-deleted';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { withinDeadline } from '../runtime/clock/deadline';
import type { RunRequest, TypeCounts } from './run/run';
import type { RunEnd } from './run/run-end';
import { Runs, type RunStart } from './execution/runs';
import { modeOf } from './run/run-settings.repository';
import { RunsRepository } from './run/runs.repository';
import { SyncTimes } from './schedule/sync-times';

/** The state of a synchronisation when its caller gets the response. */
export interface SyncState {
  /** Whether the run has ended. */
  readonly status: 'done' | 'running';
  readonly mode: ConnectionMode;
  /** The number of stored records of the platform; while the run continues, the number of records read so far. */
  readonly counts: TypeCounts;
  /** The run's ID; undefined until a run is found or started. */
  readonly runId: string | undefined;
}

/** Synchronises the records of platforms. */
@Injectable()
export class SyncService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly runs: Runs,
    private readonly rows: RunsRepository,
    private readonly times: SyncTimes,
  ) {}

  /**
   * Synchronises a connection: starts a run or joins the one under way, and waits a bounded time for its end. The run
   * does not depend on its callers.
   *
   * @param begun see {@link Runs.join}
   * @throws CustomerDeleted; ApiError and other failures of the run
   */
  async synchronise(connection: ConnectionName, begun?: RunStart): Promise<SyncState> {
    const run = this.runs.join(connection, {}, begun);
    const end = await withinDeadline(this.times.wait, [], (signal) => this.runs.await(run, signal));
    if (end !== undefined) return { status: 'done', mode: end.mode, counts: end.counts, runId: run.id };
    const { customerId } = connection;
    const mode = run.mode ?? (await this.unitOfWork.runFor(customerId, (tx) => modeOf(tx, connection)));
    return { status: 'running', mode, counts: run.counts, runId: run.id };
  }

  /** The state of a run; undefined if it has failed or is not known any more. */
  async stateOf(customerId: string, runId: string): Promise<SyncState | undefined> {
    const state = await this.unitOfWork
      .runFor(customerId, (tx) => this.rows.read(tx, runId), { readOnly: true })
      .catch((error: unknown) => {
        if (error instanceof CustomerDeleted) return undefined;
        throw error;
      });
    switch (state?.status) {
      case 'done':
        return { status: 'done', mode: state.end.mode, counts: state.end.counts, runId };
      case 'running':
        return { status: 'running', mode: state.mode, counts: state.counts, runId };
      default:
        return undefined;
    }
  }

  /**
   * Waits for the end of a run that fulfils the request. If the run under way does less, it is awaited first.
   *
   * @param progressed called with the number of records read so far
   * @throws as {@link synchronise} does
   */
  async complete(
    connection: ConnectionName,
    request: RunRequest,
    progressed: (counts: TypeCounts) => void,
  ): Promise<RunEnd> {
    for (;;) {
      const run = this.runs.join(connection, request);
      const watching = setInterval(() => progressed(run.counts), this.times.poll);
      try {
        const end = await run.end;
        const done =
          (!request.whole || end.report.whole) && (!request.acceptDeletions || end.acceptDeletions);
        if (done) return end;
      } finally {
        clearInterval(watching);
      }
    }
  }
}
