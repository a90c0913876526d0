import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Connection } from '../connectors/connector';
import type { TypeCounts } from './run';
import { Runs } from './runs';
import { SyncTimes } from './sync-times';

/** How a synchronisation stands when its caller is answered. */
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
  async synchronise(connection: Connection): Promise<SyncState> {
    const run = this.runs.join(connection);
    const patience = new AbortController();
    try {
      const late = sleep(this.times.wait, undefined, { signal: patience.signal, ref: false });
      late.catch(() => undefined);
      const counts = await Promise.race([run.end, late]);
      return counts === undefined ? { status: 'running', counts: run.counts } : { status: 'done', counts };
    } finally {
      patience.abort();
    }
  }
}
