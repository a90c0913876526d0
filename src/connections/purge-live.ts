import { randomUUID } from 'node:crypto';
import { databaseTime } from '../database/transaction/database-time';
import { ApiError } from '../common/errors/api-error';
import type { ConnectionName } from '../platforms/connector';
import type { CustomerTransaction } from '../database/transaction/store';
import { cancelOpenLive } from '../outbox/dispatch/live-commands';
import type { Recorders } from '../outbox/outcome/recorder';
import { areBehind, noteDue } from '../records/changes/due-comparisons.repository';
import type { ConnectionsRepository } from '../records/connections/connections.repository';
import type { SourceChanges } from '../matching/decisions/source-changes';
import { noteEvents } from '../records/events/events.repository';
import { hasDeletedOfLive } from '../records/platform-records/deleted-records.repository';
import { removeDeletedRecords, removePlatformRecords, type StoredRecords } from '../records/remove-platform';
import type { CursorsRepository } from '../sync/reading/cursors.repository';

/** The numbers of rows that were removed with a live connection. */
export interface Removal {
  /** Removed records of the platform. */
  readonly recordsRemoved: number;
  /** Cancelled changes that waited for the platform. */
  readonly changesCancelled: number;
}

/** The dependencies of removing a live platform's records. */
export interface LiveRemoval extends StoredRecords {
  readonly recorders: Recorders;
  readonly connections: ConnectionsRepository;
  readonly cursors: CursorsRepository;
  readonly sourceChanges: SourceChanges;
}

/**
 * Removes the records of a live platform, and decides the changes that wait for it, within the caller's transaction.
 * The caller holds the customer's lock exclusively. Present records of a sandbox stay; deleted records that the sandbox has
 * replaced are removed.
 *
 * @param why the reason, for people
 * @throws ApiError CONFLICT_ERROR while comparisons still show what the sandbox has replaced
 */
export async function purgeLive(
  tx: CustomerTransaction,
  removal: LiveRemoval,
  name: ConnectionName,
  why: string,
): Promise<Removal> {
  const { recorders, connections, cursors, sourceChanges } = removal;
  const { platform } = name;
  const changesCancelled = await cancelOpenLive(tx, recorders, name, why);
  if ((await connections.findLive(tx, platform)) === null) {
    const areLeft = await hasDeletedOfLive(tx, platform);
    // The versions that would be removed are all that tells the comparisons which objects have lost a record.
    if (areLeft && (await areBehind(tx))) throw stillBehind();
    const recordsRemoved = areLeft ? await removeDeletedRecords(tx, removal.objects, platform) : 0;
    return { recordsRemoved, changesCancelled };
  }
  const recordsRemoved = await removePlatformRecords(tx, removal, platform);
  const cause = { id: randomUUID(), at: await databaseTime(tx.store) };
  const sources = await connections.sources(tx);
  const ended = await sourceChanges.end(tx, platform, { sources, why, at: cause.at });
  noteEvents(tx, cause, await sourceChanges.events(tx, ended));
  // No change is left of what was removed, and the comparisons still show it.
  noteDue(tx, cause);
  await connections.delete(tx, platform);
  await cursors.delete(tx, name);
  return { recordsRemoved, changesCancelled };
}

function stillBehind(): ApiError {
  return new ApiError(
    'CONFLICT_ERROR',
    'The comparisons of the customer do not include the last reading yet; try again in a while',
  );
}
