import { inPrecedence, keyRules, platformNames, type PlatformName } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/store';
import { referenceColumns } from '../records/platform-records/record-columns';
import { insertObjects } from '../records/objects/canonical-objects.repository';
import { moveDeletedRecords } from '../records/platform-records/deleted-records.repository';
import { updateRecords } from '../records/platform-records/platform-records.repository';
import { keepVersions, versionBy } from '../records/changes/record-versions.repository';
import { contradictedRecords, type ContradictedRecord } from './contradicted-members.repository';
import { ownIds } from './own-ids.repository';
import type { MatchingRound } from './matching-round';
import { LinkConstraints } from './rule/link-constraints';
import { loadConstraints } from './rule/link-constraints.repository';

/**
 * Splits objects that a first load of fewer platforms joined and that the platform read now for the first time shows
 * to be two: a key occurred once on each of two platforms, and the third has a record with it under either parent. So
 * the result of a first load does not depend on the order of connects. A link that later readings contradict stays.
 *
 * The object stays with its records of the first platform. The others get objects of their own, by their native IDs.
 *
 * @param parted objects that were split among the parents in this run
 * @returns the objects that stayed and those that were created
 */
export async function splitContradicted(
  tx: CustomerTransaction,
  round: MatchingRound,
  parted: readonly string[],
): Promise<readonly string[]> {
  const { entityType } = round;
  if (!round.isFirst || platformNames.length < 3 || keyRules[entityType].parent === undefined) return [];
  const records = await contradictedRecords(tx, round, parted);
  const constraints = round.decided
    ? await loadConstraints(tx, entityType, records)
    : new LinkConstraints([]);
  const leaving = leavingOf(records, constraints).map(({ platform, platformId, object: from }) => ({
    platform,
    platformId,
    from,
  }));
  const ids = await ownIds(tx, entityType, leaving, round.cause.id);
  const moves = leaving.map((one, place): Move => ({ ...one, to: ids[place] ?? one.from }));
  await insertObjects(tx, entityType, ids);
  await moveRecords(tx, round, moves);
  return moves.flatMap(({ from, to }) => [from, to]);
}

/** A record that leaves one object and enters another. */
export interface Move {
  readonly platform: PlatformName;
  readonly platformId: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Moves records to other objects, together with the references to them on their platforms. The target object must not
 * have a record of the same platform.
 */
export async function moveRecords(
  tx: CustomerTransaction,
  { entityType, cause }: Pick<MatchingRound, 'entityType' | 'cause'>,
  moves: readonly Move[],
): Promise<void> {
  if (moves.length === 0) return;
  const lists = [
    moves.map(({ platform }) => platform),
    moves.map(({ platformId }) => platformId),
    moves.map(({ from }) => from),
    moves.map(({ to }) => to),
  ];
  const parameters = [entityType, ...lists, cause.at, cause.id];
  const move = async (column: string, where: string): Promise<void> => {
    keepVersions(tx, `, ${moved} where ${where}`, causeParameters, parameters);
    const set = [`${column} = moved.comes`, versionBy(causeParameters)];
    await updateRecords(tx, { set, from: moved, where }, parameters);
  };
  await move(
    'canonical_id',
    `${ofType} and r.entity_type = $2 and r.platform_id = moved.platform_id and r.canonical_id = moved.goes`,
  );
  const referring = Object.values(referenceColumns).filter(
    (reference) => reference.entityType === entityType,
  );
  for (const { id } of referring) await move(id, `${ofType} and r.${id} = moved.goes`);
  for (const { id } of referring) {
    const condition = `${ofType} and r.${id} = moved.goes`;
    await moveDeletedRecords(tx, { placement: id, moved, condition }, [entityType, ...lists], cause.at);
  }
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

// $1 customer, $2 type, $3 to $6 platforms, native IDs, objects left and objects entered.
const moved = `unnest($3::text[], $4::text[], $5::text[], $6::text[]) as moved (platform, platform_id, goes, comes)`;
const causeParameters = { at: '$7', id: '$8' };
const ofType = `$2::text is not null and r.customer_id = $1 and r.platform = moved.platform`;
