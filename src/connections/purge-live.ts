import type { Connectors } from '../platforms/registry';
import type { ConnectionName } from '../platforms/connector';
import type { CustomerTransaction } from '../database/transaction/store';
import { cancelOpenLive } from '../outbox/dispatch/live-commands';
import type { ConnectionsRepository } from '../records/connections/connections.repository';
import { removePlatformRecords } from '../records/remove-platform';
import { forgetCursors } from '../sync/reading/cursors.repository';

/** What the end of a live connection took with it. */
export interface Removal {
  /** Records of the platform that were stored. */
  readonly recordsRemoved: number;
  /** Changes that waited for the platform. */
  readonly changesCancelled: number;
}

/** What removing a live platform's records works with. */
export interface LiveRemoval {
  readonly connectors: Connectors;
  readonly connections: ConnectionsRepository;
}

/**
 * Removes what was read of a live platform, and decides the changes that wait for it, within the caller's transaction, which
 * holds the customer's lock exclusively. What a sandbox gave is none of the platform's and stays.
 *
 * @param why what happened to the connection, for people
 */
export async function purgeLive(
  tx: CustomerTransaction,
  { connectors, connections }: LiveRemoval,
  name: ConnectionName,
  why: string,
): Promise<Removal> {
  const { platform } = name;
  const changesCancelled = await cancelOpenLive(tx, connectors, name, why);
  if ((await connections.findLive(tx, platform)) === null) return { recordsRemoved: 0, changesCancelled };
  const recordsRemoved = await removePlatformRecords(tx, platform);
  await connections.delete(tx, platform);
  await forgetCursors(tx, name);
  return { recordsRemoved, changesCancelled };
}
