import { mappingOf, type JsonObject, type JsonPath } from '@app/mapper';
import { clashWords } from '../connectors/clash';
import type { LoadedObject } from '../records/stored-objects';
import type { Recording, StoredCommand } from './outbox-command';
import { rebase } from './outbox.repository';
import { commandsOf } from './stored-commands.repository';
import { predictedOf } from './prediction';
import { recordRefused } from './record-refusal';
import { close, type Recorder } from './recorder';
import { showOpen } from './show-open';
import { mergeThreeWays } from './three-way';

/** How often a command is made anew after somebody else changed the record. */
const MOST_CONFLICTS = 3;

/**
 * Records that somebody else changed the record meanwhile. Fields that nobody else changed are sent again; the others
 * are rejected with both values, unless both are the same.
 */
export async function recordConflict(
  recorder: Recorder,
  object: LoadedObject,
  command: StoredCommand,
  current: JsonObject,
): Promise<void> {
  const { store, customerId } = recorder;
  const { platform } = command;
  const { changes, clashes } = mergeThreeWays(command.base ?? {}, current, command.changes);
  const reason = [command.reason, clashes.length > 0 ? clashWords(clashes) : null]
    .filter((part) => part !== null)
    .join('; ');
  if (changes.length === 0 && clashes.length > 0) {
    await recordRefused(recorder, object, command, 'rejected', reason, current);
    return;
  }
  if (changes.length === 0) {
    await close(recorder, command, 'unchanged', reason === '' ? null : reason, command.platformId);
    await showOpen(
      recorder,
      object,
      new Map([[platform, current]]),
      new Map([[platform, command.recording.references]]),
    );
    return;
  }
  if (command.conflicts >= MOST_CONFLICTS) {
    const again = `${platform} was changed by others each time it was tried`;
    await recordRefused(recorder, object, command, 'rejected', again, current);
    return;
  }
  const lost = fieldsOf(command, clashes);
  const rest = { ...command, changes, base: current, recording: without(command.recording, lost) };
  await rebase(store, customerId, {
    ...rest,
    predicted: predictedOf(recorder, rest),
    reason: reason === '' ? null : reason,
    conflicts: command.conflicts + 1,
  });
  if (command.recording.leading && lost.size > 0) await dropFields(recorder, command, lost);
  const before = Object.entries(command.recording.before).filter(([field]) => lost.has(field));
  await showOpen(
    recorder,
    object,
    new Map([[platform, current]]),
    new Map([[platform, Object.fromEntries(before)]]),
  );
}

/** The canonical fields that native ones are about. */
export function fieldsOf(
  { platform, entityType, variant }: StoredCommand,
  native: readonly { readonly path: JsonPath }[],
): ReadonlySet<string> {
  return new Set(mappingOf(platform, entityType, { variant }).fieldsAt(native.map(({ path }) => path)));
}

/** What is to be recorded when some fields are not written any more. */
export function without(recording: Recording, lost: ReadonlySet<string>): Recording {
  const kept = <Value>(entries: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(entries).filter(([field]) => !lost.has(field)));
  return { ...recording, references: kept(recording.references), before: kept(recording.before) };
}

/** Takes fields that the platform whose value counts did not take out of the commands that follow. */
export async function dropFields(
  recorder: Recorder,
  command: StoredCommand,
  lost: ReadonlySet<string>,
): Promise<void> {
  const { store, customerId } = recorder;
  for (const other of await commandsOf(store, customerId, command.propagationId)) {
    if (other.position <= command.position || other.status !== 'waiting') continue;
    const mapping = mappingOf(other.platform, other.entityType, { variant: other.variant });
    const changes = other.changes.filter(({ path }) => {
      const fields = mapping.fieldsAt([path]);
      return fields.length === 0 || !fields.every((field) => lost.has(field));
    });
    if (changes.length === other.changes.length) continue;
    if (changes.length === 0) {
      const reason = `${command.platform} did not take the change`;
      await close(recorder, other, 'skipped', reason, other.platformId);
      continue;
    }
    const rest = { ...other, changes, recording: without(other.recording, lost) };
    await rebase(store, customerId, { ...rest, predicted: predictedOf(recorder, rest) });
  }
}
