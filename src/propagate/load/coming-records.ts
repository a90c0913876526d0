import { stringifyJson, type PlatformName } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { openCommands } from '../../outbox/command/stored/stored-commands.repository';
import type { LoadedObject, StoredCopy } from '../../records/loaded-object';

/**
 * The records of an object that platforms have yet to create, as the open commands will make them: the creation, and
 * the changes that wait for it. These records have no native ID yet.
 */
export async function loadComing(
  tx: CustomerTransaction,
  object: LoadedObject,
): Promise<readonly StoredCopy[]> {
  const coming = new Map<PlatformName, StoredCopy>();
  for (const command of await openCommands(tx, object.id)) {
    const { platform, platformId, variant, base, predicted, recording } = command;
    const before = coming.get(platform);
    // If the creation is decided, the outbox is about to give up a command that waited for it.
    if (platformId !== null || (base !== undefined && before === undefined)) continue;
    const references = { ...before?.references, ...recording.references };
    coming.set(platform, {
      platform,
      platformId: '',
      variant,
      payload: predicted,
      known: predicted,
      payloadText: stringifyJson(predicted),
      accepted: null,
      ...recording.currencies,
      references: Object.fromEntries(
        Object.entries(references).filter((entry): entry is [string, string] => entry[1] !== null),
      ),
    });
  }
  return [...coming.values()];
}
