import type { PlatformName } from '@app/mapper';
import { connectionState, type VisibleConnection } from '../sync/run/connection-state';
import type { KnownRun } from '../sync/run/run-history.repository';
import type { ConnectionRecord, ConnectionSync } from './connections.response';

/** A connection as it is listed; undefined for a platform that is not. See {@link connectionState}. */
export function connectionRecord(
  platform: PlatformName,
  visible: VisibleConnection | undefined,
  runs: readonly KnownRun[],
): ConnectionRecord | undefined {
  const state = connectionState(visible, runs);
  if (state === undefined) return undefined;
  return {
    platform,
    status: state.status,
    connected_at: state.connectedAt.toISOString(),
    entities_synced: visible?.entitiesSynced ?? 0,
    mode: state.mode,
    last_synced_at: visible?.syncedAt.toISOString() ?? null,
    sync: state.lastRun === undefined ? null : syncOf(state.lastRun),
    last_error: state.failure ?? null,
  };
}

function syncOf({ status, startedAt, read, report }: KnownRun): ConnectionSync {
  return {
    status,
    started_at: startedAt.toISOString(),
    records_read: Object.values(read).reduce((sum, count) => sum + count, 0),
    complete: status === 'done' && report.complete,
    gaps: report.gaps,
    deleted: report.deleted,
    deletions_held: report.deletionsHeld,
  };
}
