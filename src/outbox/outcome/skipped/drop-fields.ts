import {
  mappingOf,
  ownMember,
  type JsonObject,
  type JsonPath,
  type Mapping,
  type OwnFields,
} from '@app/mapper';
import type { LoadedObject } from '../../../records/loaded-object';
import { ownFieldsAt } from '../../command/own-fields-at';
import { skipCommand, waitingBehind } from './skip-followers';
import type { Recording, StoredCommand } from '../../command/outbox-command';
import { rebase } from '../../command/stored/commands.repository';
import { commandsById } from '../../command/stored/stored-commands.repository';
import { informFollowers } from '../pending/followers';
import { predictedOf } from '../pending/prediction';
import { ownRecord, type LearntRecord } from '../pending/project-pending-writes';
import { close, type Recorder } from '../recorder';

/** The canonical fields that native changes write, the customer's own fields among them. */
export async function fieldsOf(
  recorder: Recorder,
  command: StoredCommand,
  native: readonly { readonly path: JsonPath }[],
): Promise<ReadonlySet<string>> {
  const paths = native.map(({ path }) => path);
  return fieldsAt(command, paths, await ownFieldsAt(recorder, command, paths));
}

function fieldsAt(
  { platform, entityType, variant }: StoredCommand,
  paths: readonly JsonPath[],
  own?: OwnFields,
): ReadonlySet<string> {
  return new Set(mappingOf(platform, entityType, { variant, own }).fieldsAt(paths));
}

/** The recording of a command without some fields. */
export function without(recording: Recording, lost: ReadonlySet<string>): Recording {
  const kept = <Value>(entries: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(entries).filter(([field]) => !lost.has(field)));
  const { awaits = {}, ...rest } = recording;
  const awaited = kept(awaits);
  return {
    ...rest,
    references: kept(recording.references),
    before: kept(recording.before),
    ...(Object.keys(awaited).length > 0 && { awaits: awaited }),
  };
}

/** The references that some fields had before the command. */
export function referencesBefore({ before }: Recording, lost: ReadonlySet<string>): Recording['references'] {
  return Object.fromEntries(Object.entries(before).filter(([field]) => lost.has(field)));
}

/** The references of fields whose changes are not made: those before the command. */
export function referencesWithout(
  command: StoredCommand,
  unmade: readonly { readonly path: JsonPath }[],
): Recording['references'] {
  const { recording } = command;
  // No own field is a reference.
  const lost = fieldsAt(
    command,
    unmade.map(({ path }) => path),
  );
  return { ...without(recording, lost).references, ...referencesBefore(recording, lost) };
}

/** What the leading platform has not taken of a change. */
export interface Refused {
  /** Canonical fields. */
  readonly fields: ReadonlySet<string>;
  /** The platform's present record. */
  readonly present: JsonObject;
}

/**
 * Removes fields that the leading platform refused from the later commands of the change. A record is not created if it
 * would lack a value that the object has in such a field. It does nothing if the command's platform does not lead.
 *
 * @returns the references that records of other platforms have again
 */
export async function dropFields(
  recorder: Recorder,
  object: LoadedObject,
  command: StoredCommand,
  refused: Refused,
): Promise<readonly LearntRecord[]> {
  const { tx } = recorder;
  const { fields: lost } = refused;
  if (!command.recording.leading || lost.size === 0) return [];
  const learnt: LearntRecord[] = [];
  for (const other of await waitingBehind(recorder, command)) {
    const paths = other.changes.map(({ path }) => path);
    const own = await ownFieldsAt(recorder, other, paths);
    const mapping = mappingOf(other.platform, other.entityType, { variant: other.variant, own });
    const dropped = other.changes.filter(({ path }) => isLost(mapping, path, lost));
    const { awaits = {} } = other.recording;
    const unawaited = Object.keys(awaits).filter((field) => lost.has(field));
    if (dropped.length + unawaited.length === 0) continue;
    if (other.base === undefined) {
      const named = [...mapping.fieldsAt(dropped.map(({ path }) => path)), ...unawaited];
      const held = heldFields(object, command, refused, named, own);
      if (held.length > 0) {
        const reason = `${command.platform} did not take ${held.join(', ')}, which the new record would lack`;
        await close(recorder, other, 'skipped', reason, null);
        continue;
      }
    }
    const { platform, platformId } = other;
    learnt.push({ platform, platformId, references: referencesBefore(other.recording, lost) });
    const changes = other.changes.filter((change) => !dropped.includes(change));
    const recording = without(other.recording, lost);
    if (changes.length === 0 && recording.awaits === undefined) await skipCommand(recorder, other, command);
    else {
      const waitsFor = await creationsOf(recorder, other, recording.awaits);
      const rest = { ...other, changes, recording, waitsFor };
      await rebase(tx, { ...rest, predicted: predictedOf(recorder, rest) });
    }
    const copy = ownRecord(object, other);
    if (copy === undefined) continue;
    await informFollowers(recorder, { ...other, changes: dropped }, copy.known, 'none');
  }
  return learnt;
}

/** Whether a native path has only values of lost fields, or the name of the object that a lost reference names. */
function isLost(mapping: Mapping, path: JsonPath, lost: ReadonlySet<string>): boolean {
  const fields = mapping.fieldsAt([path]);
  if (fields.length === 0) return false;
  // A payment's invoice number names its invoice as well.
  const isNamed = fields.some((field) => lost.has(field) && mapping.referenceNames(field).length > 0);
  return isNamed || fields.every((field) => lost.has(field));
}

/** Those of some refused fields in which a record of the object has a value. */
function heldFields(
  { entityType, copies }: LoadedObject,
  { platform, variant, recording }: StoredCommand,
  { fields: lost, present }: Refused,
  fields: readonly string[],
  own: OwnFields | undefined,
): readonly string[] {
  const records = [
    { platform, variant, known: present, ...recording.currencies },
    ...copies.filter((copy) => copy.platform !== platform),
  ].map((record) =>
    mappingOf(record.platform, entityType, { variant: record.variant, own }).decode(record.known, record),
  );
  const isHeld = (field: string): boolean =>
    records.some(
      ({ data, references }) =>
        (ownMember(data, field) ?? null) !== null || (references[field] ?? []).length > 0,
    );
  return [...new Set(fields)].filter((field) => lost.has(field) && isHeld(field));
}

/** The creations that a command waits for, without those of objects to which it is not to refer any more. */
async function creationsOf(
  { tx }: Recorder,
  { waitsFor }: StoredCommand,
  awaits: Recording['awaits'] = {},
): Promise<readonly string[]> {
  const awaited = new Set(Object.values(awaits));
  if (awaited.size === 0) return [];
  const creations = await commandsById(tx, waitsFor);
  return creations.filter(({ canonicalId }) => awaited.has(canonicalId)).map(({ id }) => id);
}
