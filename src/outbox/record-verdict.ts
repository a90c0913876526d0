import { mappingOf, sameJson, stringifyJson } from '@app/mapper';
import type { Applied } from '../connectors/connector';
import { lockCustomer } from '../database/customer-lock';
import { saveRecords } from '../records/changed-record';
import { nativeOwner } from '../records/native-owner';
import { loadObjects, type LoadedObject } from '../records/stored-objects';
import { closeIfDecided } from './close-change';
import { adoptFollowers, informFollowers } from './followers';
import type { StoredCommand } from './outbox-command';
import { partWords, unseenWords } from './part-words';
import { dropFields, fieldsOf, recordConflict, without } from './record-conflict';
import { recordRefused } from './record-refusal';
import { close, type Recorder } from './recorder';
import type { Verdict } from './send-command';
import { lockOwn, objectOf } from './stored-commands.repository';
import { showOpen } from './show-open';

/** A verdict that is recorded: the command is decided, or made anew. */
export type Recordable = Exclude<Verdict, { status: 'put_back' | 'lost' }>;

/**
 * Records what became of a command, in the caller's transaction: its status, the record, what is still accepted, and
 * the history of the change.
 *
 * @returns whether it was recorded; not when somebody else has taken the command over
 */
export async function recordVerdict(
  recorder: Recorder,
  id: string,
  owner: string,
  verdict: Recordable,
): Promise<boolean> {
  const { store, customerId } = recorder;
  const object = await lockObjectOf(recorder, id);
  if (object === undefined) return false;
  const command = await lockOwn(store, customerId, id, owner);
  if (command === undefined) return false;
  if (object === 'gone') await close(recorder, command, 'held', 'the object is gone', null);
  else if (verdict.status === 'applied') await recordApplied(recorder, object, command, verdict);
  else if (verdict.status === 'conflict') await recordConflict(recorder, object, command, verdict.current);
  else await recordRefused(recorder, object, command, verdict.status, verdict.reason, verdict.current);
  await closeIfDecided(store, customerId, command.propagationId);
  return true;
}

/**
 * Decides a command that nobody will send or settle any more, in the caller's transaction, which has locked the command and
 * holds the customer's lock exclusively.
 */
export async function recordCancelled(
  recorder: Recorder,
  command: StoredCommand,
  { status, reason }: { readonly status: 'skipped' | 'held'; readonly reason: string },
): Promise<void> {
  const { store, customerId } = recorder;
  const [object] = await loadObjects(store, customerId, [command.canonicalId]);
  if (object === undefined) await close(recorder, command, status, reason, command.platformId);
  else await recordRefused(recorder, object, command, status, reason);
  await closeIfDecided(store, customerId, command.propagationId);
}

/**
 * Locks the object that a command is for, as every work on it does, and loads it.
 *
 * @returns undefined when there is no such command
 */
export async function lockObjectOf(
  { store, customerId }: Recorder,
  id: string,
): Promise<LoadedObject | 'gone' | undefined> {
  if (!(await lockCustomer(store, customerId, 'shared'))) return undefined;
  const canonicalId = await objectOf(store, customerId, id);
  if (canonicalId === undefined) return undefined;
  await store.query('select id from canonical_objects where customer_id = $1 and id = $2 for update', [
    customerId,
    canonicalId,
  ]);
  const [object] = await loadObjects(store, customerId, [canonicalId]);
  return object ?? 'gone';
}

async function recordApplied(
  recorder: Recorder,
  object: LoadedObject,
  command: StoredCommand,
  applied: Applied,
): Promise<void> {
  const { platform, recording } = command;
  const { payload, refused, unseen } = applied;
  if (command.platformId === null) return recordCreated(recorder, object, command, applied);
  const present = object.copies.find((copy) => copy.platform === platform);
  // What was written need not be seen.
  const same = present !== undefined && sameJson(present.known, payload) && unseen === undefined;
  await close(
    recorder,
    command,
    same ? 'unchanged' : 'applied',
    reasonOf(command, applied),
    command.platformId,
  );
  await informFollowers(recorder, command, payload, applied);
  const lost = fieldsOf(command, refused?.changes ?? []);
  if (recording.leading && lost.size > 0) await dropFields(recorder, command, lost);
  const before = Object.entries(recording.before).filter(([field]) => lost.has(field));
  const references = { ...without(recording, lost).references, ...Object.fromEntries(before) };
  await showOpen(recorder, object, new Map([[platform, payload]]), new Map([[platform, references]]));
}

/** What is said of a command beside that it was applied. */
function reasonOf(command: StoredCommand, { refused, unseen }: Applied): string | null {
  const parts = [
    command.reason,
    refused === undefined ? null : partWords(command, refused),
    unseen === undefined ? null : unseenWords(command, unseen),
  ];
  const reason = parts.filter((part) => part !== null).join('; ');
  return reason === '' ? null : reason;
}

async function recordCreated(
  recorder: Recorder,
  object: LoadedObject,
  command: StoredCommand,
  applied: Applied,
): Promise<void> {
  const { store, customerId } = recorder;
  const { platform, entityType } = command;
  const { payload } = applied;
  const present = object.copies.find((copy) => copy.platform === platform);
  const { nativeId, references } = mappingOf(platform, entityType, { variant: command.variant }).decode(
    payload,
    command.recording.currencies,
  );
  // A reading may have found the new record first, and linked it by its key.
  if (present !== undefined && present.platformId === nativeId) {
    await close(recorder, command, 'applied', reasonOf(command, applied), nativeId);
    await adoptFollowers(recorder, command, nativeId, payload);
    await showOpen(recorder, object, new Map([[platform, payload]]));
    return;
  }
  const owner = nativeId && (await nativeOwner(store, customerId, platform, entityType, nativeId));
  const problem = !nativeId
    ? `${platform} did not say under which ID it created the record`
    : owner !== undefined || present !== undefined
      ? `${platform} created it under an ID that is in use`
      : undefined;
  if (nativeId === undefined || problem !== undefined) {
    await recordRefused(recorder, object, command, 'held', problem ?? '');
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
  await saveRecords(store, customerId, object, [record], await recorder.cause());
  await close(recorder, command, 'applied', reasonOf(command, applied), nativeId);
  if (!(await adoptFollowers(recorder, command, nativeId, payload))) return;
  const [created] = await loadObjects(store, customerId, [object.id]);
  if (created !== undefined) await showOpen(recorder, created, new Map());
}
