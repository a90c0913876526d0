import { groupBy, inPrecedence, platformNames } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { MatchingRound } from './matching-round';
import { LinkConstraints } from '../rule/link-constraints';
import { loadConstraints } from '../rule/link-constraints.repository';
import { linkRecords } from '../rule/link-records';
import {
  hasKeys,
  linkUncontested,
  placeMerged,
  stageMerges,
  type ContestedRecord,
  type Merge,
} from './staged-matches.repository';

/**
 * Links objects by the rule, see `linkRecords`. SQL links the uncontested groups, which are nearly all; `linkRecords`
 * links the records of the others. Existing links stay.
 *
 * New records are placed with the object that they join. The merges of stored objects are staged in `staged_merges`.
 *
 * @returns the number of new links
 */
export async function linkObjects(tx: CustomerTransaction, round: MatchingRound): Promise<number> {
  const { entityType, platform, runId, decided } = round;
  const others = platformNames.filter((name) => name !== platform);
  const elsewhere = await Promise.all(others.map((other) => hasKeys(tx, entityType, other)));
  if (!decided && !elsewhere.includes(true)) return 0;
  const { linked, contested } = await linkUncontested(tx, round);
  if (contested.length === 0) return linked;
  const constraints = decided ? await loadConstraints(tx, entityType, contested) : new LinkConstraints([]);
  const objects = groupBy(contested, ({ object }) => object);
  const merges = linkRecords([...objects.values()], constraints).flatMap(mergesOf);
  if (merges.length === 0) return linked;
  await stageMerges(tx, runId, entityType, merges);
  await placeMerged(tx, round);
  return linked + merges.length;
}

/** The stored object that has precedence stays. */
function mergesOf(records: readonly ContestedRecord[]): readonly Merge[] {
  const objects = [...new Set(inPrecedence(records).map(({ object }) => object))];
  const stays = objects.find((object) => !object.startsWith('+')) ?? objects[0];
  return objects.flatMap((goes) => (stays === undefined || goes === stays ? [] : [{ goes, stays }]));
}
