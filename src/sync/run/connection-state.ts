import type { ConnectionRow } from '../../database/entities/connection.entity';
import type { ConnectionMode } from '../../platforms/connector';
import type { KnownRun } from './run-history.repository';

/** The states in which a connection is listed. */
export const connectionStatuses = ['active', 'connecting', 'failing'] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

/** The part of a connection's row that published runs have written. */
export type VisibleConnection = Pick<ConnectionRow, 'mode' | 'connectedAt' | 'syncedAt' | 'entitiesSynced'>;

/** The state of a connection, as it is listed. */
export interface ConnectionState {
  readonly mode: ConnectionMode;
  readonly status: ConnectionStatus;
  /** When the connection was first connected; before that, when its first known run began. */
  readonly connectedAt: Date;
  readonly lastRun: KnownRun | undefined;
  /** Why the last ended run failed; undefined if it did not fail, or is outdated. */
  readonly failure: KnownRun['error'];
}

/**
 * The state of a connection. A live connection is listed from its first run on, a sandbox once it is connected, because
 * a sandbox that could not be read leaves no trace. Pure.
 *
 * @param visible undefined until the first run is published
 * @param runs the last run and the last ones that ended, newest first (see `lastRuns`)
 * @returns undefined for a platform that is not listed
 */
export function connectionState(
  visible: VisibleConnection | undefined,
  runs: readonly KnownRun[],
): ConnectionState | undefined {
  const [last] = runs;
  const connectedAt = visible?.connectedAt ?? runs.at(-1)?.startedAt;
  if (connectedAt === undefined || (visible === undefined && last?.mode !== 'live')) return undefined;
  const mode = last?.mode === 'live' ? 'live' : (visible?.mode ?? 'sandbox');
  const isFirst = visible === undefined || visible.mode !== mode;
  // An outdated run counts as no failure. But as long as no other run has begun, it alone tells why there are no records.
  const ended =
    isFirst && last?.isOutdated === true
      ? last
      : runs.find(({ status, isOutdated }) => status !== 'running' && !isOutdated);
  const failed = ended?.status === 'failed';
  const connecting = isFirst && last?.status === 'running';
  return {
    mode,
    status: failed ? 'failing' : connecting ? 'connecting' : 'active',
    connectedAt,
    lastRun: last,
    failure: failed ? ended.error : undefined,
  };
}
