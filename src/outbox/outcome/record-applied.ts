import { sameJson, type JsonObject, type NativeChange } from '@app/mapper';
import type { Applied, RefusedChanges } from '../../platforms/connector';
import type { LoadedObject } from '../../records/loaded-object';
import { dropFields, fieldsOf, referencesWithout } from './skipped/drop-fields';
import { informFollowers } from './pending/followers';
import { fieldName } from '../command/partial/partial-progress';
import type { StoredCommand } from '../command/outbox-command';
import { joinedReasons, partialWriteReason, unseenFieldsReason } from '../command/partial/progress-reasons';
import { predictedOf } from './pending/prediction';
import { close, type Recorder } from './recorder';
import { ownRecord, projectPendingWrites } from './pending/project-pending-writes';

/** Records an applied change. If the platform accepted only a part, that part stays and the reason names the rest. */
export async function recordChanged(
  recorder: Recorder,
  object: LoadedObject,
  command: StoredCommand,
  applied: Applied,
): Promise<void> {
  const { made } = command;
  const { payload, refused, unseen } = applied;
  const present = ownRecord(object, command);
  // A platform may not show a written field.
  const isSame =
    made.changes.length === 0 &&
    unseen === undefined &&
    present !== undefined &&
    sameJson(present.known, payload);
  const reason = appliedReason(command, applied);
  await close(recorder, command, isSame ? 'unchanged' : 'applied', reason, command.platformId, payload);
  await informFollowers(recorder, command, payload, applied);
  const lost = await fieldsOf(recorder, command, refused?.changes ?? []);
  const dropped = await dropFields(recorder, object, command, { fields: lost, present: payload });
  const references = referencesWithout(command, refused?.changes ?? []);
  await projectPendingWrites(recorder, object, [...dropped, { ...command, known: payload, references }]);
}

/** The reason that is stored with an applied command. */
export function appliedReason(
  command: StoredCommand,
  { refused, unseen }: Pick<Applied, 'refused' | 'unseen'>,
): string | null {
  return joinedReasons(
    command.reason,
    refused && partialWriteReason(command, refused),
    unseen && unseenFieldsReason(command, unseen),
  );
}

/** The outcome of a finished command with partial effects: applied with these effects only. */
export function appliedInPart(command: StoredCommand, payload: JsonObject, why: string): Applied {
  return { status: 'applied', payload, refused: restOf(command, why) };
}

/**
 * The changes that a finished command has not made, with the reason. They are marked as unknown if the command's
 * outcome is unknown.
 */
export function restOf(command: StoredCommand, why: string): RefusedChanges {
  const isUnknown = command.status === 'uncertain' || command.status === 'held';
  return { changes: unmadeOf(command), reason: why, ...(isUnknown && { isUnknown }) };
}

/** The changes that a command has not made yet. */
export function unmadeOf({ changes, made }: StoredCommand): readonly NativeChange[] {
  const names = new Set(made.changes.map(fieldName));
  return changes.filter((change) => !names.has(fieldName(change)));
}

/** The platform's known record with the effects of a command that were not read back yet. */
export function knownWithMade(recorder: Recorder, command: StoredCommand, known: JsonObject): JsonObject {
  const { changes } = command.made;
  return changes.length === 0
    ? known
    : predictedOf(recorder, { ...command, changes, base: known, predicted: known });
}
