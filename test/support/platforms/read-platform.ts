import type { ConnectionName } from '../../../src/platforms/connector';
import { SyncService } from '../../../src/sync/sync.service';
import type { RunningApp } from '../app/app';

/**
 * Reads a whole live platform and waits for the end of the run.
 *
 * @param acceptDeletions whether the run deletes records that the platform no longer has, however many these are
 */
export function readPlatform(
  { app }: Pick<RunningApp, 'app'>,
  connection: ConnectionName,
  acceptDeletions = true,
): ReturnType<SyncService['complete']> {
  return app
    .get(SyncService, { strict: false })
    .complete(connection, { whole: true, acceptDeletions }, () => undefined);
}
