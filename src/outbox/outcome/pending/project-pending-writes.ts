import { stringifyJson, type JsonObject, type PlatformName } from '@app/mapper';
import { saveRecords } from '../../../records/platform-records/platform-records.repository';
import type { LoadedObject, StoredCopy } from '../../../records/loaded-object';
import { writeCommandOf } from '../../command/outbox-command';
import { openCommands } from '../../command/stored/stored-commands.repository';
import type { Recorder } from '../recorder';

/** The references of a record's fields, as canonical IDs; null for none. */
export type References = Readonly<Record<string, string | null>>;

/**
 * Stores the present records of the platforms and projects the open commands onto them. The canonical object shows
 * the projection.
 *
 * @param learnt present records of platforms, where they are new
 * @param references new references of fields, by platform, because a command was applied or undone
 */
export async function projectPendingWrites(
  { tx, connectors, cause }: Recorder,
  object: LoadedObject,
  learnt: ReadonlyMap<PlatformName, JsonObject>,
  references: ReadonlyMap<PlatformName, References> = new Map(),
): Promise<void> {
  const open = await openCommands(tx, object.id);
  const copies = object.copies.flatMap((copy): StoredCopy[] => {
    const { platform } = copy;
    const writes = open.filter((command) => command.platform === platform && command.platformId !== null);
    const isTouched = learnt.has(platform) || references.has(platform);
    if (copy.accepted === null && !isTouched && writes.length === 0) return [];
    const known = learnt.get(platform) ?? copy.known;
    const own: Record<string, string> = { ...copy.references };
    for (const [field, id] of Object.entries(references.get(platform) ?? {})) setReference(own, field, id);
    let shown: JsonObject | undefined;
    for (const command of writes) {
      const connector = connectors.connectorFor({ customerId: tx.customerId, platform, mode: command.mode });
      const prediction = connector.predict(writeCommandOf(tx.customerId, command), shown ?? known);
      if (prediction.status === 'applied') shown = prediction.payload;
      for (const [field, id] of Object.entries(command.recording.references)) setReference(own, field, id);
    }
    return [
      {
        ...copy,
        payload: shown ?? known,
        known,
        payloadText: learnt.has(platform) ? stringifyJson(known) : copy.payloadText,
        accepted: shown === undefined ? null : stringifyJson(shown),
        references: own,
      },
    ];
  });
  if (copies.length > 0) await saveRecords(tx, object, copies, await cause());
}

function setReference(references: Record<string, string>, field: string, id: string | null): void {
  if (id === null) delete references[field];
  else references[field] = id;
}
