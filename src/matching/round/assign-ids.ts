import { canonicalId } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { freshIdOf, nativeIdOf } from '../objects/own-ids.repository';
import type { MatchingRound } from './matching-round';
import { dropTakenIds, markParents, namePlacements, unnamedPlacements } from './staged-matches.repository';

/** Records whose IDs are computed at a time. */
const SLICE = 5_000;

/**
 * Gives IDs to the placed records without a partner. The ID is a digest: of the key if the key occurs once on its
 * platform; otherwise of parent and key if these occur once together; otherwise of platform and native ID. The last
 * also applies if another object already has the digest. Digests are computed in code, by the mapper's one rule.
 *
 * The first of these digests comes with the record, as `own_id`, and nearly every record keeps it. So only the other
 * records are written: they lose it, and get a `canonical_id` instead.
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
