import { inPrecedence, keyRules, platformNames, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/customer-transaction';
import { referenceColumns } from '../records/record-columns';
import { keepAbsentMoves } from '../records/absent-moves';
import { keepVersions, versionBy } from '../records/record-versions';
import { keyGroups } from './groups';
import { ownIds } from './own-ids';
import { parametersOf, type MatchingRound } from './round';
import { decidedClusters } from './standing';

interface Member {
  readonly platform: PlatformName;
  readonly platform_id: string;
  readonly canonical_id: string;
  readonly parent_key: string;
  /** The cluster of must-link decisions; null if there is none. */
  readonly unit: string | null;
}

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
  const members = await tx.store.query<Member>(contradicted(round), [
    ...parametersOf(round),
    platformNames,
    parted,
  ]);
  const leaving = movesOf(members).map(({ platform, platform_id: platformId, canonical_id: from }) => ({
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

/** Inserts objects without records. */
export async function insertObjects(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `insert into canonical_objects (customer_id, id, entity_type) select $1, comes, $2 from unnest($3::text[]) as comes`,
    [entityType, ids],
  );
}

/**
 * Moves records to other objects, together with the references to them on their platforms. The target object must not
 * have a record of the same platform.
 */
export async function moveRecords(
  tx: CustomerTransaction,
  { entityType, cause }: Pick<MatchingRound, 'customerId' | 'entityType' | 'cause'>,
  moves: readonly Move[],
): Promise<void> {
  if (moves.length === 0) return;
  const lists = [
    moves.map(({ platform }) => platform),
    moves.map(({ platformId }) => platformId),
    moves.map(({ from }) => from),
    moves.map(({ to }) => to),
  ];
  for (const statement of movingOf(entityType))
    await tx.query(statement, [entityType, ...lists, cause.at, cause.id]);
}

/**
 * Which members leave the object: all except the first platform's group and the records that decisions link with it.
 */
function movesOf(members: readonly Member[]): readonly Member[] {
  const inOrder = inPrecedence(members);
  const first = new Map<string, string>();
  for (const { canonical_id: object, parent_key: group } of inOrder)
    if (!first.has(object)) first.set(object, group);
  const stays = ({ canonical_id: object, parent_key: group }: Member) => first.get(object) === group;
  const held = new Set(inOrder.filter(stays).map(({ unit }) => unit));
  return inOrder.filter((member) => !stays(member) && (member.unit === null || !held.has(member.unit)));
}

// Stored records of one object and one key that belong to different groups, where the key contradicts itself or a parent
// was parted. A record that belongs to no group is a group of its own.
function contradicted({ entityType, standing }: MatchingRound): string {
  const decided = standing?.links === true;
  return `
  with recursive ${decided ? `${decidedClusters}, ` : ''}${keyGroups(entityType)},
  placed as (
    select j.platform, j.platform_id, j.canonical_id, j.business_key, coalesce(g.parent_key, '+' || j.platform) as parent_key,
      j.contradicts or j.parent = any ($6::text[]) as doubtful
    from judged j
    left join grouped g on g.platform = j.platform and g.platform_id = j.platform_id
    where j.canonical_id not like '+%'
  ),
  compared as (
    select p.*, min(parent_key) over same as first_group, max(parent_key) over same as last_group,
      bool_or(doubtful) over same as any_doubtful
    from placed p window same as (partition by canonical_id, business_key)
  )
  select c.platform, c.platform_id, c.canonical_id, c.parent_key, ${decided ? 'u.unit' : 'null as unit'}
  from compared c ${decided ? 'left join units u on u.platform = c.platform and u.platform_id = c.platform_id' : ''}
  where first_group <> last_group and any_doubtful`;
}

// $1 customer, $2 type, $3 to $6 platforms, native IDs, objects left and objects entered.
const moved = `unnest($3::text[], $4::text[], $5::text[], $6::text[]) as moved (platform, platform_id, goes, comes)`;
const cause = { at: '$7', id: '$8' };
const ofType = `$2::text is not null and r.customer_id = $1 and r.platform = moved.platform`;

function movingOf(entityType: StoredEntityType): readonly string[] {
  const referring = Object.values(referenceColumns).filter(
    (reference) => reference.entityType === entityType,
  );
  return [
    ...moving(
      'canonical_id',
      `${ofType} and r.entity_type = $2 and r.platform_id = moved.platform_id and r.canonical_id = moved.goes`,
    ),
    ...referring.flatMap(({ id }) => moving(id, `${ofType} and r.${id} = moved.goes`)),
    ...referring.flatMap(({ id }) => movingAbsent(id)),
  ];
}

function movingAbsent(column: string): readonly string[] {
  const condition = `${ofType} and r.${column} = moved.goes and $7::timestamptz is not null and $8::uuid is not null`;
  return [
    keepAbsentMoves(column, moved, condition, '$7'),
    `update deleted_records r set ${column} = moved.comes from ${moved} where ${condition}`,
  ];
}

function moving(column: string, condition: string): readonly string[] {
  return [
    keepVersions(`, ${moved} where ${condition}`, cause),
    `update platform_records r set ${column} = moved.comes, ${versionBy(cause)} from ${moved} where ${condition}`,
  ];
}
