import { isStoredEntityType, mappingOf, type StoredEntityType } from '@app/mapper';
import type { StoredCopy } from '../../../records/loaded-object';
import type { Recorder } from '../recorder';

/**
 * The references of a record, each to the object that the record which it names by ID belongs to now. That may be another
 * object than when the write was accepted: a record that was deleted and returned has a new one, if another record has
 * taken its place.
 *
 * @param fields the references to look at
 */
export async function withPresentOwners(
  { tx, records }: Pick<Recorder, 'tx' | 'records'>,
  entityType: StoredEntityType,
  record: Pick<
    StoredCopy,
    'platform' | 'variant' | 'payload' | 'inheritedCurrency' | 'localCurrency' | 'references'
  >,
  fields: ReadonlySet<string>,
): Promise<StoredCopy['references']> {
  const { platform, variant, payload, references } = record;
  const asked = [...fields].filter((field) => references[field] !== undefined);
  if (asked.length === 0) return references;
  const named = mappingOf(platform, entityType, { variant }).decode(payload, record).references;
  const present: Record<string, string> = { ...references };
  for (const field of asked) {
    const [first] = named[field] ?? [];
    if (first?.by !== 'id' || !isStoredEntityType(first.refersTo)) continue;
    const owner = await records.findOwner(tx, platform, first.refersTo, first.value);
    if (owner !== undefined) present[field] = owner;
  }
  return present;
}
