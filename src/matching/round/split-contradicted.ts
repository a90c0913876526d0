import { inPrecedence, keyRules, platformNames } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { moveRecords, type Move } from '../objects/move-records';
import { partAliases, partObjects } from '../objects/part-objects';
import { LinkConstraints } from '../rule/link-constraints';
import { loadConstraints } from '../rule/link-constraints.repository';
import { contradictedRecords, type ContradictedRecord } from './contradicted-records.repository';
import type { MatchingRound } from './matching-round';

/**
 * Splits objects that were linked when fewer platforms were loaded, if the first reading of a further platform shows
 * that they are two objects: the key occurs once on each of two platforms, and the further platform has a record with
 * the key under either parent. So the result of first loads does not depend on the order of connects. A link that a
 * later reading contradicts stays.
 *
 * The object stays with its records of the first platform. The other records get objects of their own, see `partObjects`.
 *
 * @param split the objects of parents that this run has split, and the new ones
 * @returns the objects that stayed and those that were created
 */
export async function splitContradicted(
  tx: CustomerTransaction,
  round: MatchingRound,
  split: readonly string[],
): Promise<readonly string[]> {
  const { entityType } = round;
  if (!round.isFirst || platformNames.length < 3 || keyRules[entityType].parent === undefined) return [];
  const records = await contradictedRecords(tx, round, split);
  const constraints = round.decided
    ? await loadConstraints(tx, entityType, records)
    : new LinkConstraints([]);
  const leaving = leavingOf(records, constraints).map(({ platform, platformId, object: from }) => ({
    platform,
    platformId,
    from,
  }));
  const { targets, aliases } = await partObjects(
    tx,
    round,
    leaving.map((one) => ({ records: [one], to: undefined })),
  );
  const moves = leaving.map((one, place): Move => ({ ...one, to: targets[place] ?? one.from }));
  await moveRecords(tx, round, moves);
  await partAliases(tx, round, aliases);
  return moves.flatMap(({ from, to }) => [from, to]);
}

/** The records that leave their object: all except the first platform's group and the clusters of its records. */
function leavingOf(
  records: readonly ContradictedRecord[],
  constraints: LinkConstraints,
): readonly ContradictedRecord[] {
  const inOrder = inPrecedence(records);
  const first = new Map<string, string>();
  for (const { object, parentKey } of inOrder) if (!first.has(object)) first.set(object, parentKey);
  const stays = ({ object, parentKey }: ContradictedRecord) => first.get(object) === parentKey;
  const held = new Set(inOrder.filter(stays).map((record) => constraints.clusterOf(record)));
  return inOrder.filter((record) => !stays(record) && !held.has(constraints.clusterOf(record)));
}
