import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { markTimesTaken } from '../../database/transaction/customer-lock';
import { databaseTime } from '../../database/transaction/database-time';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { ConnectionName } from '../../platforms/connector';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { SchedulesRepository } from '../schedule/schedules.repository';
import type { ClaimedRun, RunRequest } from '../run/run';
import { readingPlan } from '../run/run-settings.repository';
import { RunsRepository } from '../run/runs.repository';

/** The result of a claim: a run that this instance works on now, or the ID of another instance's run. */
export type RunClaim = { readonly run: ClaimedRun } | { readonly elsewhere: string };

/** Claims runs for this instance. The row of a run is the claim. */
@Injectable()
export class RunClaims {
  constructor(
    private readonly runs: RunsRepository,
    private readonly schedules: SchedulesRepository,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'historyTtlMs'>,
  ) {}

  /**
   * Starts a run, or takes over a run whose lease is over.
   *
   * @param lease milliseconds
   * @returns undefined if the run under way ended at this moment; the caller tries again
   */
  async claim(
    tx: CustomerTransaction,
    name: ConnectionName,
    lease: number,
    request: RunRequest = {},
  ): Promise<RunClaim | undefined> {
    const started = await this.start(tx, name, lease, request);
    if (started !== undefined) {
      await this.schedules.answer(tx, started);
      await this.runs.deleteEnded(tx, name, this.environment.historyTtlMs);
      return { run: started };
    }
    const taken = await this.runs.takeOver(tx, name, lease);
    if (taken !== undefined) return { run: taken };
    const elsewhere = await this.runs.findRunning(tx, name);
    return elsewhere === undefined ? undefined : { elsewhere };
  }

  /**
   * Starts the run of a live connection if it is due. Another instance that also found the connection due then finds the
   * run, or a connection that is no longer due.
   *
   * @param lease milliseconds
   * @param interval milliseconds between two runs
   * @returns undefined if no run is due
   */
  async claimDue(
    tx: CustomerTransaction,
    name: ConnectionName,
    lease: number,
    interval: number,
  ): Promise<ClaimedRun | undefined> {
    const run = await this.start(tx, name, lease, {});
    if (run === undefined) return undefined;
    // Every transaction locks the run before its schedule, so no two of them wait for each other.
    if (run.connection.mode === 'live' && (await this.schedules.answer(tx, run, interval))) {
      await this.runs.deleteEnded(tx, name, this.environment.historyTtlMs);
      return run;
    }
    await this.runs.delete(tx, run.id);
    return undefined;
  }

  /** @returns undefined if a run is under way */
  private async start(
    tx: CustomerTransaction,
    { customerId, platform }: ConnectionName,
    lease: number,
    { whole = false, acceptDeletions = false }: RunRequest,
  ): Promise<ClaimedRun | undefined> {
    const next = await readingPlan(tx, platform);
    await markTimesTaken(tx);
    const at = await databaseTime(tx.store);
    const run: ClaimedRun = {
      connection: { customerId, platform, mode: next.changedAt === null ? 'sandbox' : 'live' },
      id: randomUUID(),
      owner: randomUUID(),
      whole: whole || next.whole,
      acceptDeletions,
      isTakenOver: false,
    };
    const isStarted = await this.runs.start(tx, run, lease, { at, changedAt: next.changedAt });
    return isStarted ? run : undefined;
  }
}
