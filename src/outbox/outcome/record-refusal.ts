import type { JsonObject } from '@app/mapper';
import type { LoadedObject } from '../../records/loaded-object';
import { referencesWithout } from './skipped/drop-fields';
import { informFollowers } from './pending/followers';
import { swapExtra } from './swap-extra';
import { skipCommand, waitingBehind } from './skipped/skip-followers';
import type { Recording, StoredCommand } from '../command/outbox-command';
import { joinedReasons } from '../command/partial/progress-reasons';
import { appliedInPart, knownWithMade, recordChanged, unmadeOf } from './record-applied';
import { close, type Recorder } from './recorder';
import { ownRecord, projectPendingWrites } from './pending/project-pending-writes';

/**
 * Records a refused command, or one whose outcome cannot be known: the accepted change is undone. If the platform
 * leads, the others do not get the change either. A change that was made in part is recorded as applied with that
 * part. A command that is `held` stays held, and its reason names the part.
 *
 * @param why for people
 * @param learnt the platform's present record, if it is known
 */
export async function recordRefused(
  recorder: Recorder,
  object: LoadedObject,
  command: StoredCommand,
  status: 'rejected' | 'held' | 'skipped',
  why: string,
  learnt?: JsonObject,
): Promise<void> {
  const own = ownRecord(object, command);
  const isPart = command.platformId !== null && command.made.changes.length > 0;
  const known = learnt ?? (isPart && own ? knownWithMade(recorder, command, own.known) : undefined);
  if (status !== 'held' && isPart) {
    const payload = known ?? command.predicted;
    await recordChanged(recorder, object, command, appliedInPart(command, payload, why));
    return;
  }
  const undone = [command];
  const reason = joinedReasons(command.reason, why);
  await close(recorder, command, status, reason, command.platformId);
  if (command.recording.leading) {
    for (const other of await waitingBehind(recorder, command)) {
      undone.push(other);
      await skipCommand(recorder, other, command);
    }
    await swapExtra(recorder, object.id, command.propagationId, 'undo');
  }
  for (const one of undone) {
    const copy = ownRecord(object, one);
    if (copy === undefined) continue;
    const current = one === command ? (known ?? copy.known) : copy.known;
    const taken = one === command && isPart ? appliedInPart(command, current, why) : 'none';
    await informFollowers(recorder, one, current, taken);
  }
  await projectPendingWrites(
    recorder,
    object,
    undone.map((one) => ({
      ...one,
      ...(one === command && { known }),
      references: referencesNow(one),
    })),
  );
}

function referencesNow(command: StoredCommand): Recording['references'] {
  const { made, recording } = command;
  return made.changes.length === 0 ? recording.before : referencesWithout(command, unmadeOf(command));
}
