import type { JsonObject } from '@app/mapper';
import { clashWords } from '../../platforms/clash';
import type { LoadedObject } from '../../records/loaded-object';
import { dropFields, fieldsOf, referencesBefore, without } from './skipped/drop-fields';
import type { StoredCommand } from '../command/outbox-command';
import { rebase } from '../command/stored/commands.repository';
import { joinedReasons } from '../command/partial/progress-reasons';
import { predictedOf } from './pending/prediction';
import { recordRefused } from './record-refusal';
import { close, type Recorder } from './recorder';
import { projectPendingWrites } from './pending/project-pending-writes';
import { mergeThreeWays } from './pending/three-way';

/** How often a command is rebased after another user changed the record. */
const MOST_CONFLICTS = 3;

/**
 * Records a conflict with another user's change. Fields that the other user did not change are sent again. The others
 * are rejected with both values, unless the values are equal.
 */
export async function recordConflict(
  recorder: Recorder,
  object: LoadedObject,
  command: StoredCommand,
  current: JsonObject,
): Promise<void> {
  const { tx, connectors } = recorder;
  const { platform, mode } = command;
  const connector = connectors.connectorFor({ customerId: tx.customerId, platform, mode });
  const { changes, clashes } = mergeThreeWays(connector, command.base ?? {}, current, command);
  const reason = joinedReasons(command.reason, clashes.length > 0 ? clashWords(clashes) : null);
  if (changes.length === 0 && clashes.length > 0) {
    await recordRefused(recorder, object, { ...command, reason: null }, 'rejected', reason ?? '', current);
    return;
  }
  if (changes.length === 0) {
    await close(recorder, command, 'unchanged', reason, command.platformId);
    const { references } = command.recording;
    await projectPendingWrites(recorder, object, [{ ...command, known: current, references }]);
    return;
  }
  if (command.conflicts >= MOST_CONFLICTS) {
    const again = `${platform} was changed by others each time it was tried`;
    await recordRefused(recorder, object, { ...command, reason }, 'rejected', again, current);
    return;
  }
  const lost = await fieldsOf(recorder, command, clashes);
  const rest = { ...command, changes, base: current, recording: without(command.recording, lost) };
  await rebase(tx, {
    ...rest,
    predicted: predictedOf(recorder, rest),
    reason,
    conflicts: command.conflicts + 1,
  });
  const dropped = await dropFields(recorder, object, command, { fields: lost, present: current });
  const references = referencesBefore(command.recording, lost);
  await projectPendingWrites(recorder, object, [...dropped, { ...command, known: current, references }]);
}
