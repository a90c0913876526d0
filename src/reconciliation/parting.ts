import { canonicalId, inPrecedence, keyRules, platformNames, type PlatformName } from '@app/mapper';
import type { Store } from '../database/store';
import { referenceColumns } from '../records/record-columns';
import { keepVersions, versionBy } from '../records/record-versions';
import { keyGroups } from './groups';
import { parametersOf, type Round } from './round';

interface Member {
  readonly platform: PlatformName;
  readonly platform_id: string;
  readonly canonical_id: string;
  readonly business_key: string;
  readonly parent_key: string;
}

/**
 * Parts objects that a first load of fewer platforms joined, and that the platform read now for the first time shows to
 * be two: a key occurred once on each of two platforms, and the third one has a record of it under either parent. So a
 * first load comes to the same in any order of connects. A link that later readings contradict stays.
 *
 * The object stays with its records of the first platform; the others get objects of their own, by their native IDs.
 *
 * @param parted objects that were parted among the parents in this run
 * @returns the objects that stayed and those that were made
 */
export async function partContradicted(
  store: Store,
  round: Round,
  parted: readonly string[],
): Promise<readonly string[]> {
  const { customerId, entityType } = round;
  if (!round.isFirst || platformNames.length < 3 || keyRules[entityType].parent === undefined) return [];
  const members = await store.query<Member>(contradicted(round), [
    ...parametersOf(round),
    platformNames,
    parted,
  ]);
  const moves = movesOf(members).map(({ platform, platform_id: nativeId, canonical_id: from }) => ({
    platform,
    nativeId,
    from,
    to: canonicalId(customerId, entityType, { kind: 'native', platform, nativeId }),
  }));
  if (moves.length === 0) return [];
  const lists = [
    moves.map(({ platform }) => platform),
    moves.map(({ nativeId }) => nativeId),
    moves.map(({ from }) => from),
    moves.map(({ to }) => to),
  ];
  const own = [customerId, entityType, ...lists];
  await store.query(insertComing, own);
  for (const statement of statements) await store.query(statement, [...own, round.cause.at, round.cause.id]);
  return moves.flatMap(({ from, to }) => [from, to]);
}

/** Which members leave: all but those of the group of the first platform. */
function movesOf(members: readonly Member[]): readonly Member[] {
  const staying = new Map<string, string>();
  return inPrecedence(members).filter(({ canonical_id: object, parent_key: group }) => {
    const first = staying.get(object) ?? group;
    staying.set(object, first);
    return group !== first;
  });
}

// Stored records of one object and one key that belong to different groups, where the key contradicts itself or a parent
// was parted. A record that belongs to no group is a group of its own.
function contradicted({ entityType }: Round): string {
  return `
  with ${keyGroups(entityType)},
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
  select platform, platform_id, canonical_id, business_key, parent_key from compared
  where first_group <> last_group and any_doubtful`;
}

// $1 customer, $2 type, $3 to $6 platforms, native IDs, objects left and objects entered.
const moved = `unnest($3::text[], $4::text[], $5::text[], $6::text[]) as moved (platform, platform_id, goes, comes)`;
const insertComing = `insert into canonical_objects (customer_id, id, entity_type) select $1, moved.comes, $2 from ${moved}`;

const cause = { at: '$7', id: '$8' };
const statements = [
  ...moving(
    'canonical_id',
    `r.customer_id = $1 and r.platform = moved.platform and r.entity_type = $2 and r.platform_id = moved.platform_id`,
  ),
  ...Object.values(referenceColumns).flatMap(({ id, entityType }) =>
    moving(
      id,
      `r.customer_id = $1 and r.platform = moved.platform and r.${id} = moved.goes and $2 = '${entityType}'`,
    ),
  ),
];

function moving(column: string, condition: string): readonly string[] {
  return [
    keepVersions(`, ${moved} where ${condition}`, cause),
    `update platform_records r set ${column} = moved.comes, ${versionBy(cause)} from ${moved} where ${condition}`,
  ];
}
