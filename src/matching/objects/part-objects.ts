import type { CustomerTransaction } from '../../database/transaction/store';
import { moveAliases, standingAliases, type AliasMove } from '../../records/objects/aliases.repository';
import { insertObjects } from '../../records/objects/canonical-objects.repository';
import { followPartedAliases } from '../../records/objects/canonical-references.repository';
import { keepPlacements } from '../../records/platform-records/deleted-records.repository';
import { referenceColumns } from '../../records/platform-records/record-columns';
import { nameOf } from '../rule/link-constraints';
import { aliasMoves, byHolder, formerIdOf, type Leaving } from './former-ids';
import type { ObjectChange } from './object-change';
import { nativeIdOf, ownIds } from './own-ids.repository';

/** The objects of records that leave others. */
export interface Parting {
  /** The object of each group of records, in their order. */
  readonly targets: readonly string[];
  /** What becomes of the aliases of the objects that they leave. */
  readonly aliases: readonly AliasMove[];
}

/**
 * Creates the objects of records that leave others. An object gets the ID that one of its records had before a merge, if that
 * is an alias of the object which it leaves, and no other record has a better claim to it. Otherwise it gets a new ID.
 */
export async function partObjects(
  tx: CustomerTransaction,
  { entityType, cause }: ObjectChange,
  leaving: readonly Leaving[],
): Promise<Parting> {
  const records = leaving.flatMap((group) => group.records);
  if (records.length === 0) return { targets: [], aliases: [] };
  const objects = [...new Set(records.map(({ from }) => from))];
  const stored = await standingAliases(tx, entityType, objects, records);
  const byNativeId = new Map(
    records.map((record) => [nativeIdOf(tx.customerId, entityType, record), record]),
  );
  const aliases = stored.map((alias) => ({ ...alias, holder: byNativeId.get(alias.id) ?? alias.holder }));
  const held = byHolder(aliases);
  const known = leaving.map((group) => group.to ?? formerIdOf(group, held));
  const unnamed = leaving.flatMap((group, place) =>
    known[place] === undefined ? group.records.slice(0, 1) : [],
  );
  const own = await ownIds(tx, entityType, unnamed, cause.id);
  const ownOf = new Map(unnamed.map((record, place) => [nameOf(record), own[place]]));
  const targets = leaving.map(({ records: [first] }, place) => {
    const target = known[place] ?? (first && ownOf.get(nameOf(first)));
    if (target === undefined) throw new Error('Records that leave an object have none to come to');
    return target;
  });
  await insertObjects(
    tx,
    entityType,
    targets.filter((_, place) => leaving[place]?.to === undefined),
  );
  return { targets, aliases: aliasMoves(leaving, targets, aliases) };
}

/**
 * Lets the aliases of parted objects follow the records whose IDs they were. The caller has moved the records.
 *
 * @param aliases of `partObjects`
 */
export async function partAliases(
  tx: CustomerTransaction,
  { entityType, cause }: ObjectChange,
  aliases: readonly AliasMove[],
): Promise<void> {
  if (aliases.length === 0) return;
  const references = Object.values(referenceColumns).filter((one) => one.entityType === entityType);
  const objects = [...new Set(aliases.map(({ from }) => from))];
  for (const placement of ['canonical_id', ...references.map(({ id }) => id)])
    await keepPlacements(tx, placement, objects, cause.at);
  await moveAliases(tx, aliases, cause);
  await followPartedAliases(tx, aliases);
}
