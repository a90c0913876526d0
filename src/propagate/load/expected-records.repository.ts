import { isJsonObject, parseJsonText, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { Recording } from '../../outbox/command/outbox-command';
import { withPresentIds } from '../../outbox/command/stored/present-references';
import type { ConnectedPlatform } from '../plan/context/change-context';
import { noneExpected, type ExpectedRecord, type ExpectedRecords } from '../plan/state/expected-record';
import type { ReferredObjects } from '../plan/state/referred';

/**
 * The expected records of the objects around a change, from commands that are accepted and not decided. Commands that
 * were decided just now count too, because the objects may have been read before the decision.
 */
export async function loadExpected(
  tx: CustomerTransaction,
  referredObjects: ReferredObjects,
  connected: readonly ConnectedPlatform[],
): Promise<ExpectedRecords> {
  const lacking = [...referredObjects.values()].filter(({ copies }) =>
    connected.some(({ platform }) => !copies.some((copy) => copy.platform === platform)),
  );
  if (lacking.length === 0) return noneExpected;
  const rows = await tx.query<{
    id: string;
    canonical_id: string;
    entity_type: StoredEntityType;
    platform: PlatformName;
    variant: string | null;
    predicted: string;
    recording: string;
  }>(
    `select id, canonical_id, entity_type, platform, variant, predicted::text as predicted, recording::text as recording
     from outbox_commands
     where customer_id = $1 and canonical_id = any($2) and platform_id is null and base is null
       and (decided_at is null or (status = 'applied' and decided_at > now() - interval '1 minute'))`,
    [lacking.map(({ id }) => id)],
  );
  const creations = rows.map((row) => ({
    ...row,
    recording: JSON.parse(row.recording) as Recording, // This type was serialised into the column.
  }));
  return new Map(
    (await withPresentIds(tx, creations)).map(({ recording, ...row }): [string, ExpectedRecord] => {
      const payload = parseJsonText(row.predicted);
      if (!isJsonObject(payload)) throw new Error('A stored command holds no JSON object');
      const references = Object.entries(recording.references).flatMap(([field, id]): [string, string][] =>
        id === null ? [] : [[field, id]],
      );
      return [
        `${row.platform} ${row.canonical_id}`,
        {
          commandId: row.id,
          canonicalId: row.canonical_id,
          entityType: row.entity_type,
          variant: row.variant,
          payload,
          ...recording.currencies,
          references: Object.fromEntries(references),
        },
      ];
    }),
  );
}
