import { mappingOf, stringifyJson } from '@app/mapper';
import type { Applied } from '../../platforms/connector';
import { saveRecords } from '../../records/platform-records/platform-records.repository';
import { loadObjects } from '../../records/objects/stored-objects.repository';
import type { LoadedObject } from '../../records/loaded-object';
import { adoptFollowers } from './pending/followers';
import { withPresentOwners } from './pending/present-owners';
import { dropFields, fieldsOf } from './skipped/drop-fields';
import { addProgress } from '../command/partial/partial-progress';
import type { StoredCommand } from '../command/outbox-command';
import { keepProgress } from '../command/stored/commands.repository';
import { appliedReason } from './record-applied';
import { recordRefused } from './record-refusal';
import { close, type Recorder } from './recorder';
import { projectPendingWrites } from './pending/project-pending-writes';

/** Records a creation: links the record to the object and gives its ID to the commands that waited for it. */
export async function recordCreated(
  recorder: Recorder,
  object: LoadedObject,
  command: StoredCommand,
  applied: Applied,
): Promise<void> {
  const { tx } = recorder;
  const { platform, entityType } = command;
  const { payload, refused } = applied;
  const present = object.copies.find((copy) => copy.platform === platform);
  const { nativeId, references } = mappingOf(platform, entityType, { variant: command.variant }).decode(
    payload,
    command.recording.currencies,
  );
  const lost = await fieldsOf(recorder, command, refused?.changes ?? []);
  // A sync may have found the new record and linked it before the outcome was recorded.
  if (present !== undefined && present.platformId === nativeId) {
    await close(recorder, command, 'applied', appliedReason(command, applied), nativeId, payload);
    const dropped = await dropFields(recorder, object, command, { fields: lost, present: payload });
    await adoptFollowers(recorder, command, nativeId, payload);
    const created = { platform, platformId: nativeId, known: payload };
    await projectPendingWrites(recorder, object, [created, ...dropped]);
    return;
  }
  const owner = nativeId && (await recorder.records.findOwner(tx, platform, entityType, nativeId));
  const problem = !nativeId
    ? `${platform} did not say under which ID it created the record`
    : owner !== undefined || present !== undefined
      ? `${platform} created it under an ID that is in use${owner === undefined ? '' : `, by ${owner}`}`
      : undefined;
  if (nativeId === undefined || problem !== undefined) {
    const made = addProgress(command.made, nativeId ? { createdAs: nativeId, changes: [] } : undefined);
    await keepProgress(tx, command.id, made);
    await recordRefused(recorder, object, { ...command, made }, 'held', problem ?? '');
    return;
  }
  const ids = Object.entries(command.recording.references).filter(
    (entry): entry is [string, string] => entry[1] !== null && (references[entry[0]] ?? []).length > 0,
  );
  const record = {
    platform,
    platformId: nativeId,
    variant: command.variant,
    payload,
    known: payload,
    payloadText: stringifyJson(payload),
    accepted: null,
    ...command.recording.currencies,
    references: Object.fromEntries(ids),
  };
  const fields = new Set(ids.map(([field]) => field));
  const owned = await withPresentOwners(recorder, entityType, record, fields);
  await saveRecords(tx, object, [{ ...record, references: owned }], await recorder.cause());
  await close(recorder, command, 'applied', appliedReason(command, applied), nativeId, payload);
  const dropped = await dropFields(recorder, object, command, { fields: lost, present: payload });
  const isAwaited = await adoptFollowers(recorder, command, nativeId, payload);
  if (!isAwaited && dropped.length === 0) return;
  const [created] = await loadObjects(tx, [object.id]);
  if (created !== undefined) await projectPendingWrites(recorder, created, dropped);
}
