import { stringifyJson, type JsonObject } from '@app/mapper';
import { saveRecords } from '../../../records/platform-records/platform-records.repository';
import type { LoadedObject, StoredCopy } from '../../../records/loaded-object';
import { writeCommandOf, type StoredCommand } from '../../command/outbox-command';
import { openCommands } from '../../command/stored/stored-commands.repository';
import type { Recorder } from '../recorder';
import { withPresentOwners } from './present-owners';

/** The references of a record's fields, as canonical IDs; null for none. */
export type References = Readonly<Record<string, string | null>>;

/** What the outcome of a command tells of its record. */
export interface LearntRecord extends Pick<StoredCommand, 'platform' | 'platformId'> {
  /** The present record of the platform, where it is new. */
  readonly known?: JsonObject | undefined;
  /** New references of fields, because the command was applied or undone. */
  readonly references?: References;
}

/** The command's record among those of its object. It has none if another record of the platform belongs to the object by now. */
export function ownRecord(
  { copies }: LoadedObject,
  command: Pick<StoredCommand, 'platform' | 'platformId'>,
): StoredCopy | undefined {
  return copies.find((copy) => isOf(copy, command));
}

function isOf(
  copy: StoredCopy,
  { platform, platformId }: Pick<StoredCommand, 'platform' | 'platformId'>,
): boolean {
  return copy.platform === platform && copy.platformId === platformId;
}

/**
 * Stores what outcomes tell of the object's records, and projects the open commands onto them. The canonical object shows
 * the projection.
 */
export async function projectPendingWrites(
  recorder: Recorder,
  object: LoadedObject,
  learnt: readonly LearntRecord[],
): Promise<void> {
  const { tx, connectors, cause } = recorder;
  const open = await openCommands(tx, object.id);
  const copies: StoredCopy[] = [];
  for (const copy of object.copies) {
    const { platform } = copy;
    const writes = open.filter((command) => isOf(copy, command));
    const told = learnt.filter((one) => isOf(copy, one));
    if (copy.accepted === null && told.length === 0 && writes.length === 0) continue;
    const present = told.findLast((one) => one.known !== undefined)?.known;
    const known = present ?? copy.known;
    const own: Record<string, string> = { ...copy.references };
    const set = new Set<string>();
    for (const { references = {} } of told)
      for (const [field, id] of Object.entries(references)) {
        setReference(own, field, id);
        set.add(field);
      }
    let shown: JsonObject | undefined;
    for (const command of writes) {
      const connector = connectors.connectorFor({ customerId: tx.customerId, platform, mode: command.mode });
      const prediction = connector.predict(writeCommandOf(tx.customerId, command), shown ?? known);
      if (prediction.status === 'applied') shown = prediction.payload;
      const { references, awaits = {} } = command.recording;
      for (const [field, id] of Object.entries(references)) {
        setReference(own, field, id);
        // The payload does not name a record that is still to be created.
        if (Object.hasOwn(awaits, field)) set.delete(field);
        else set.add(field);
      }
    }
    const projected = { ...copy, payload: shown ?? known, references: own };
    copies.push({
      ...projected,
      known,
      payloadText: present === undefined ? copy.payloadText : stringifyJson(present),
      accepted: shown === undefined ? null : stringifyJson(shown),
      references: await withPresentOwners(recorder, object.entityType, projected, set),
    });
  }
  if (copies.length > 0) await saveRecords(tx, object, copies, await cause());
}

function setReference(references: Record<string, string>, field: string, id: string | null): void {
  if (id === null) delete references[field];
  else references[field] = id;
}
