import type { Connectors } from '../platforms/registry';
import type { ConnectionName } from '../platforms/connector';
import { ConnectionRow } from '../database/entities/connection.entity';
import type { CustomerTransaction } from '../database/transaction/customer-transaction';
import { cancelOpenLive } from '../outbox/dispatch/live-commands';
import { removePlatformRecords } from '../records/remove-platform';
import { forgetCursors } from '../sync/reading/forget-reading';

/** What the end of a live connection took with it. */
export interface Removal {
  /** Records of the platform that were stored. */
  readonly recordsRemoved: number;
  /** Changes that waited for the platform. */
  readonly changesCancelled: number;
}

/**
 * Removes what was read of a live platform, and decides the changes that wait for it, within the caller's transaction, which
 * holds the customer's lock exclusively. What a sandbox gave is none of the platform's and stays.
 *
 * @param why what happened to the connection, for people
 */
export async function purgeLive(
  tx: CustomerTransaction,
  connectors: Connectors,
  name: ConnectionName,
  why: string,
): Promise<Removal> {
  const { customerId, platform } = name;
  const changesCancelled = await cancelOpenLive(tx, connectors, name, why);
  const connections = tx.store.manager.getRepository(ConnectionRow);
  const read = await connections.existsBy({ customerId, platform, mode: 'live' });
  if (!read) return { recordsRemoved: 0, changesCancelled };
  const recordsRemoved = await removePlatformRecords(tx, platform);
  await connections.delete({ customerId, platform });
  await forgetCursors(tx, name);
  return { recordsRemoved, changesCancelled };
}
