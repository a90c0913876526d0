import { Injectable } from '@nestjs/common';
import type { ConnectionName } from '../connectors/connector';
import type { TypeCounts } from './run';
import { Runs } from './runs';
import { SyncTimes } from './sync-times';

/** The state of a synchronisation when its caller gets the answer. */
export type SyncState =
  /** It is done; the records that the platform has here. */
  | { readonly status: 'done'; readonly counts: TypeCounts }
  /** It goes on; the records read so far. */
  | { readonly status: 'running'; readonly counts: TypeCounts };

/** Brings the records of platforms in. */
@Injectable()
export class SyncService {
  constructor(
    private readonly runs: Runs,
    private readonly times: SyncTimes,
  ) {}

  /**
   * Synchronises a connection: starts a run, or joins the one under way, and waits a bounded time for its end. The run
   * does not depend on its callers.
   *
   * @throws CustomerGone; ApiError and whatever else a run fails with
   */
  async synchronise(connection: ConnectionName): Promise<SyncState> {
    const run = this.runs.join(connection);
    const counts = await this.runs.await(run, AbortSignal.timeout(this.times.wait));
    return counts === undefined ? { status: 'running', counts: run.counts } : { status: 'done', counts };
  }
}
