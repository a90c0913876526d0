import { canonicalId } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { freshIdOf, nativeIdOf } from '../objects/own-ids.repository';
import type { MatchingRound } from './matching-round';
import { dropTakenIds, markParents, namePlacements, unnamedPlacements } from './staged-matches.repository';

/** Records whose IDs are computed at a time. */
const SLICE = 5_000;

/**
 * Gives IDs to the placed records that found no partner. The ID is the digest of the key where that occurs once on its platform,
 * of parent and key where those do, else of platform and native ID. The last is also the ID where another object has the
 * digest already. Code computes digests, by the one rule of the mapper.
 *
 * The first digest came with the record, as `own_id`, and nearly every record keeps it. So only the others are written:
 * they lose it, and get a `canonical_id` instead.
 */
export async function assignIds(tx: CustomerTransaction, round: MatchingRound): Promise<void> {
  if ((await dropTakenIds(tx, round)) === 0) return;
  await markParents(tx, round);
  while (await assignSlice(tx, round));
}

/** @returns whether there may be more */
async function assignSlice(tx: CustomerTransaction, round: MatchingRound): Promise<boolean> {
  const { entityType, platform, cause } = round;
  const rows = await unnamedPlacements(tx, round, SLICE);
  const records = rows.map(({ platform_id: platformId }) => ({ platform, platformId }));
  const native = records.map((record) => nativeIdOf(tx.customerId, entityType, record));
  const fresh = records.map((record) => freshIdOf(tx.customerId, entityType, record, cause.id));
  const wanted = rows.map(({ business_key: key, named_in: parentId }, place) =>
    parentId === null || key === null
      ? native[place]
      : canonicalId(tx.customerId, entityType, { kind: 'key in parent', parentId, key }),
  );
  const ids = rows.map(({ platform_id }) => platform_id);
  await namePlacements(tx, round, { ids, wanted, native, fresh });
  return rows.length === SLICE;
}
