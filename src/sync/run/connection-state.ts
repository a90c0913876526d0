import type { ConnectionRow } from '../../database/entities/connection.entity';
import type { ConnectionMode } from '../../platforms/connector';
import type { KnownRun } from './run-history.repository';

/** The states in which a connection is listed. */
export const connectionStatuses = ['active', 'connecting', 'failing'] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

/** What runs have made visible of a connection. */
export type VisibleConnection = Pick<ConnectionRow, 'mode' | 'connectedAt' | 'syncedAt' | 'entitiesSynced'>;

/** How a connection stands. */
export interface ConnectionState {
  readonly mode: ConnectionMode;
  readonly status: ConnectionStatus;
  /** When it was first connected; until it is, when its first known run began. */
  readonly connectedAt: Date;
  readonly lastRun: KnownRun | undefined;
  /** Why the last run that ended has failed; undefined if it did not. */
  readonly failure: KnownRun['error'];
}

/**
 * How a connection stands. A live one is listed from its first run on; a sandbox once it is connected, since one that
 * could not be read leaves no trace. Pure.
 *
 * @param visible undefined while nothing of the platform was made visible yet
 * @param runs the last run and the last one that ended, newest first
 * @returns undefined for a platform that is not listed
 */
export function connectionState(
  visible: VisibleConnection | undefined,
  runs: readonly KnownRun[],
): ConnectionState | undefined {
  const [last] = runs;
  const ended = runs.find(({ status }) => status !== 'running');
  const connectedAt = visible?.connectedAt ?? runs.at(-1)?.startedAt;
  if (connectedAt === undefined || (visible === undefined && last?.mode !== 'live')) return undefined;
  const mode = last?.mode === 'live' ? 'live' : (visible?.mode ?? 'sandbox');
  const isFirst = visible === undefined || visible.mode !== mode;
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
