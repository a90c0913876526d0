import { isStoredEntityType, mappingOf, type NativeReference } from '@app/mapper';
import type { StoredCommand } from '../command/outbox-command';
import type { Recorder } from '../outcome/recorder';

/**
 * The record that has come to another object since a command was accepted, for people: the command's own record, or one to which
 * the record would refer. Sent now, the command would write values of its object to the record of another one, or a reference that a
 * person has found wrong. Undefined if there is none. A held command does not keep records from leaving their objects.
 */
export async function partedSince(
  { tx, records }: Recorder,
  command: StoredCommand,
): Promise<string | undefined> {
  const { platform, entityType, variant, platformId, canonicalId, recording, predicted } = command;
  const { references } = mappingOf(platform, entityType, { variant }).decode(predicted, recording.currencies);
  const named = [
    ...(platformId === null ? [] : [{ type: entityType, id: platformId, object: canonicalId }]),
    ...Object.entries(recording.references).flatMap(([field, object]) =>
      object === null ? [] : (references[field] ?? []).flatMap(byId).map((one) => ({ ...one, object })),
    ),
  ];
  for (const { type, id, object } of named) {
    const owner = await records.findOwner(tx, platform, type, id);
    if (owner !== undefined && owner !== object) return `the ${type} ${id} of ${platform}`;
  }
  return undefined;
}

function byId({ by, refersTo, value }: NativeReference) {
  return by === 'id' && isStoredEntityType(refersTo) ? [{ type: refersTo, id: value }] : [];
}
