import type { PlatformName } from '@app/mapper';
import type { ConnectionRow } from '../database/entities/connection.entity';
import type { KnownRun } from '../sync/run/run-history.repository';
import type { ConnectionRecord, ConnectionStatus, ConnectionSync } from './connections.response';

/** The published readings that the listing shows. */
export type VisibleConnection = Pick<ConnectionRow, 'mode' | 'connectedAt' | 'syncedAt' | 'entitiesSynced'>;

/**
 * A connection as it is listed. A live connection is listed from its first run on, a sandbox after it was connected,
 * because a failed reading of a sandbox leaves no trace. Pure.
 *
 * @param visible undefined before the first published reading of the platform
 * @param runs the last run and the last one that ended, newest first
 */
export function connectionRecord(
  platform: PlatformName,
  visible: VisibleConnection | undefined,
  runs: readonly KnownRun[],
): ConnectionRecord | undefined {
  const [last] = runs;
  const ended = runs.find(({ status }) => status !== 'running');
  const began = visible?.connectedAt ?? runs.at(-1)?.startedAt;
  if (began === undefined || (visible === undefined && last?.mode !== 'live')) return undefined;
  const mode = last?.mode === 'live' ? 'live' : (visible?.mode ?? 'sandbox');
  const failed = ended?.status === 'failed';
  const isFirst = visible === undefined || visible.mode !== mode;
  const status: ConnectionStatus = failed
    ? 'failing'
    : isFirst && last?.status === 'running'
      ? 'connecting'
      : 'active';
  return {
    platform,
    status,
    connected_at: began.toISOString(),
    entities_synced: visible?.entitiesSynced ?? 0,
    mode,
    last_synced_at: visible?.syncedAt.toISOString() ?? null,
    sync: last === undefined ? null : syncOf(last),
    last_error: failed && ended.error !== undefined ? ended.error : null,
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
