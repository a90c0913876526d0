import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionMode, ConnectionName } from '../../platforms/connector';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { Store } from '../../database/transaction/store';
import { ApiError } from '../../common/errors/api-error';
import { endsWithin } from '../../runtime/clock/ends-within';
import { noCounts, RunLost, type ClaimedRun, type RunRequest, type TypeCounts } from '../run/run';
import type { RunEnd } from '../run/run-end';
import { RunExecution } from './run-execution';
import { RunClaims, type RunClaim } from './run-claims';
import { RunsRepository } from '../run/runs.repository';
import { SyncTimes } from '../schedule/sync-times';

/** A run that this process works on or waits for. */
export interface LocalRun {
  /** Rejects when the run fails. */
  readonly end: Promise<RunEnd>;
  /** Records read so far. */
  readonly counts: TypeCounts;
  /** The mode of the run; undefined until the run is found or started. */
  readonly mode: ConnectionMode | undefined;
  /** The ID of the run; undefined until the run is found or started. */
  readonly id: string | undefined;
}

/** Called in the transaction in which a run is started or found. What it stores commits with that. */
export type RunStart = (store: Store, runId: string) => void;

/** The known state of a run under way. */
interface Known {
  counts: TypeCounts;
  mode?: ConnectionMode;
  id?: string;
}

/** The runs for which callers of this process wait. Callers of the same run share it. */
@Injectable()
export class Runs implements BeforeApplicationShutdown {
  private readonly here = new Map<string, LocalRun>();
  private readonly due = new Set<Promise<unknown>>();
  private readonly stopping = new AbortController();
  private waiting = 0;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly claims: RunClaims,
    private readonly rows: RunsRepository,
    private readonly execution: RunExecution,
    private readonly times: SyncTimes,
  ) {}

  /** The number of callers that wait for a run now. */
  get callers(): number {
    return this.waiting;
  }

  /** Waits for the end of a run; undefined if the signal aborts first. */
  async await(run: LocalRun, signal: AbortSignal): Promise<RunEnd | undefined> {
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

  /**
   * Starts a run for a connection, or joins the run under way on this or another instance.
   *
   * @param request what a new run is to read; a run under way keeps its own request
   * @param begun not called if this process already works on the run or waits for it
   */
  join(connection: ConnectionName, request: RunRequest = {}, begun?: RunStart): LocalRun {
    const name = `${connection.customerId} ${connection.platform}`;
    const known = this.here.get(name);
    if (known !== undefined) return known;
    const latest: Known = { counts: noCounts() };
    const end = this.bring(connection, request, latest, begun).finally(() => this.here.delete(name));
    // All callers may have stopped waiting by the time the run fails.
    end.catch(() => undefined);
    const run: LocalRun = {
      end,
      get counts() {
        return latest.counts;
      },
      get mode() {
        return latest.mode;
      },
      get id() {
        return latest.id;
      },
    };
    this.here.set(name, run);
    return run;
  }

  /**
   * Claims the run of a live connection that is due. If several instances find the connection due, one of them gets the
   * run and the others nothing.
   *
   * @throws DatabaseUnavailable, Overloaded, CustomerDeleted when the run cannot be started
   */
  async claimDue(connection: ConnectionName): Promise<readonly ClaimedRun[]> {
    if (this.stopping.signal.aborted) return [];
    const { lease, interval } = this.times;
    const run = await this.unitOfWork.runFor(connection.customerId, (tx) =>
      this.claims.claimDue(tx, connection, lease, interval),
    );
    return run === undefined ? [] : [run];
  }

  /** Works on a run that {@link claimDue} has claimed, until its end. A failure is stored in its row and logged. */
  async workOn(run: ClaimedRun): Promise<void> {
    const work = this.work(run, { counts: noCounts() });
    this.due.add(work);
    await Promise.allSettled([work]);
    this.due.delete(work);
  }

  /** Waits a moment for runs under way, then aborts the rest. Another instance continues those. */
  async beforeApplicationShutdown(): Promise<void> {
    const ends = Promise.allSettled([...[...this.here.values()].map(({ end }) => end), ...this.due]);
    await endsWithin(ends, this.times.stopTimeoutMs);
    this.stopping.abort(new Error('The service stops'));
    await endsWithin(ends, this.times.stopTimeoutMs);
  }

  private async bring(
    connection: ConnectionName,
    request: RunRequest,
    known: Known,
    begun?: RunStart,
  ): Promise<RunEnd> {
    for (;;) {
      this.stopping.signal.throwIfAborted();
      const claim = await this.unitOfWork.runFor(connection.customerId, async (tx) => {
        const found = await this.claims.claim(tx, connection, this.times.lease, request);
        // Only once: a run that replaces a lost one was not started for the caller.
        if (found !== undefined && known.id === undefined) begun?.(tx.store, idOf(found));
        return found;
      });
      if (claim === undefined) continue;
      known.id = idOf(claim);
      const ended =
        'run' in claim
          ? await this.work(causedBy(connection, claim.run), known)
          : await this.follow(connection, claim.elsewhere, known);
      if (ended !== undefined) return ended;
      await sleep(this.times.poll, undefined, { ref: false });
    }
  }

  private async work(run: ClaimedRun, known: Known): Promise<RunEnd | undefined> {
    known.mode = run.connection.mode;
    try {
      return await this.execution.carryOut(run, this.stopping.signal, (counts) => (known.counts = counts));
    } catch (error) {
      if (!(error instanceof RunLost)) throw error;
      return this.follow(run.connection, run.id, known);
    }
  }

  /** Polls the row of a run of another instance until it ends. Undefined if no instance works on it any more. */
  private async follow(
    { customerId }: ConnectionName,
    id: string,
    known: Known,
  ): Promise<RunEnd | undefined> {
    for (;;) {
      this.stopping.signal.throwIfAborted();
      const state = await this.unitOfWork.runFor(customerId, (tx) => this.rows.read(tx, id), {
        readOnly: true,
      });
      switch (state.status) {
        case 'done':
          return state.end;
        case 'failed':
          throw new ApiError(state.type, state.message);
        case 'running':
          if (state.abandoned) return undefined;
          Object.assign(known, { counts: state.counts, mode: state.mode });
      }
      await sleep(this.times.poll, undefined, { ref: false });
    }
  }
}

/** Attributes the run to the request that started it here. */
function causedBy({ cause }: ConnectionName, run: ClaimedRun): ClaimedRun {
  return cause === undefined ? run : { ...run, connection: { ...run.connection, cause } };
}

function idOf(claim: RunClaim): string {
  return 'run' in claim ? claim.run.id : claim.elsewhere;
}
