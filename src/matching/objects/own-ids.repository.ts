import { canonicalId, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';

/** A record that is to have an object of its own. */
export interface UnassignedRecord {
  readonly platform: PlatformName;
  readonly platformId: string;
}

/**
 * IDs for the new objects of records: the digest of the record's native ID. If another object or an alias already has
 * that ID, the digest also includes the ID of the change.
 *
 * @returns an ID for each record, in their order. No object or alias has one of these IDs yet
 */
export async function ownIds(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  records: readonly UnassignedRecord[],
  changeId: string,
): Promise<readonly string[]> {
  if (records.length === 0) return [];
  const native = records.map((record) => nativeIdOf(tx.customerId, entityType, record));
  const taken = new Set((await tx.query<{ id: string }>(takenIds, [native])).map(({ id }) => id));
  return records.map((record, place) => {
    const id = native[place] ?? '';
    return taken.has(id) ? freshIdOf(tx.customerId, entityType, record, changeId) : id;
  });
}

/** The digest of a record's native ID. */
export function nativeIdOf(
  customerId: string,
  entityType: StoredEntityType,
  { platform, platformId }: UnassignedRecord,
): string {
  return canonicalId(customerId, entityType, { kind: 'native', platform, nativeId: platformId });
}

/** The digest of a record's native ID and of the change that names it: nothing else has it. */
export function freshIdOf(
  customerId: string,
  entityType: StoredEntityType,
  { platform, platformId }: UnassignedRecord,
  changeId: string,
): string {
  // No native ID holds a control character that is followed by the ID of one of our changes.
  return nativeIdOf(customerId, entityType, { platform, platformId: `${platformId}\u001f${changeId}` });
}

const takenIds = `
  select o.id from canonical_objects o where o.customer_id = $1 and o.id = any ($2::text[])
  union all
  select a.alias_id from canonical_aliases a where a.customer_id = $1 and a.alias_id = any ($2::text[])`;
