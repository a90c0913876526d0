import { lockCustomer } from '../../database/transaction/customer-lock';
import { loadObjects } from '../../records/objects/stored-objects.repository';
import type { LoadedObject } from '../../records/loaded-object';
import { closeIfDecided } from './close-change';
import type { StoredCommand } from '../command/outbox-command';
import { addProgress } from '../command/partial/partial-progress';
import { keepProgress } from '../command/stored/commands.repository';
import { recordChanged } from './record-applied';
import { recordConflict } from './record-conflict';
import { recordCreated } from './record-created';
import { recordRefused } from './record-refusal';
import { noteOutcome } from './note-outcome';
import { close, type Recorder } from './recorder';
import type { AttemptOutcome } from './attempt-outcome';
import { lockOwn, objectOf } from '../command/stored/stored-commands.repository';

/** The outcome of an attempt that ends it: the command is decided, or it is rebased after a conflict. */
export type FinalOutcome = Exclude<AttemptOutcome, { status: 'put_back' | 'lost' }>;

/**
 * Records the outcome of a command in the caller's transaction: its status, the record, the projection of the open
 * commands, and the history of the change.
 *
 * @returns whether it was recorded; false if another instance has claimed the command
 */
export async function recordOutcome(
  recorder: Recorder,
  id: string,
  owner: string,
  outcome: FinalOutcome,
): Promise<boolean> {
  const { tx } = recorder;
  const object = await lockObjectOf(recorder, id);
  if (object === undefined) return false;
  const stored = await lockOwn(tx, id, owner);
  if (stored === undefined) return false;
  const more = 'made' in outcome ? outcome.made : undefined;
  const command = { ...stored, made: addProgress(stored.made, more) };
  if (more !== undefined) await keepProgress(tx, id, command.made);
  if (object === 'gone') await close(recorder, command, 'held', 'the object is gone', null);
  else if (outcome.status === 'applied' && command.platformId === null)
    await recordCreated(recorder, object, command, outcome);
  else if (outcome.status === 'applied') await recordChanged(recorder, object, command, outcome);
  else if (outcome.status === 'conflict') await recordConflict(recorder, object, command, outcome.current);
  else await recordRefused(recorder, object, command, outcome.status, outcome.reason, outcome.current);
  await endChange(recorder, command.propagationId);
  return true;
}

/**
 * Decides a command that is never sent or settled again. The caller's transaction has locked the command and holds
 * the customer's lock exclusively.
 */
export async function recordCancelled(
  recorder: Recorder,
  command: StoredCommand,
  { status, reason }: { readonly status: 'skipped' | 'held'; readonly reason: string },
): Promise<void> {
  const [object] = await loadObjects(recorder.tx, [command.canonicalId]);
  if (object === undefined) await close(recorder, command, status, reason, command.platformId);
  else await recordRefused(recorder, object, command, status, reason);
  await endChange(recorder, command.propagationId);
}

async function endChange(recorder: Recorder, propagationId: string): Promise<void> {
  await noteOutcome(recorder, propagationId, await closeIfDecided(recorder, propagationId));
}

/**
 * Locks and loads the object of a command, as all work on the object does.
 *
 * @returns undefined if there is no such command
 */
export async function lockObjectOf(
  { tx, objects }: Recorder,
  id: string,
): Promise<LoadedObject | 'gone' | undefined> {
  if (!(await lockCustomer(tx, 'shared'))) return undefined;
  const canonicalId = await objectOf(tx, id);
  if (canonicalId === undefined) return undefined;
  await objects.lock(tx, canonicalId);
  const [object] = await loadObjects(tx, [canonicalId]);
  return object ?? 'gone';
}
