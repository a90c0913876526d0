import { platformNames, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { Merges } from '../../records/objects/merges';
import { referenceColumns } from '../../records/platform-records/record-columns';
import { contestedGroups } from './contested-groups.sql';
import { groupNameOf, parentColumn } from '../rule/key-groups.sql';
import type { GroupedRecord } from '../rule/link-records';
import { follow, targetOf, type NamedBy } from './references.sql';
import { newObject, ofRound, parametersOf, referencesOf, staged, type MatchingRound } from './matching-round';

// The results of matching, until the run stores the records: `staged_placements` has the object of each new record,
// `staged_merges` the objects that merge into others.

/**
 * Stores the placement of the staged records that are not stored yet, with the objects to which they refer.
 *
 * @param named the fields by which they refer to other records
 */
export async function placeNew(tx: CustomerTransaction, round: MatchingRound, named: NamedBy): Promise<void> {
  await tx.query(placements(round.entityType, named), parametersOf(round));
}

function placements(entityType: StoredEntityType, named: NamedBy): string {
  const fields = referencesOf[entityType].filter((field) => named.get(field)?.id || named.get(field)?.key);
  const columns = fields.map((field) => `, ${referenceColumns[field].id}`).join('');
  return `
  insert into staged_placements (customer_id, run_id, entity_type, platform_id, business_key, own_id ${columns})
  select s.customer_id, s.run_id, s.entity_type, s.platform_id, s.business_key, s.own_id
    ${fields.map((field) => `, ${targetOf(field, named.get(field))}`).join('')}
  from staged_records s ${fields.map((field) => follow(field, 's', named.get(field))).join('')}
  where ${staged('s')} and not exists (
    select 1 from platform_records r where ${ofRound('r')} and r.platform_id = s.platform_id
  )`;
}

// If no other platform has a key, no keys can be equal. The order is that of the index of keys. Without it, the planner
// may scan the table, because it expects a match among the first rows.
/** Whether records of a type have keys on a platform. */
export async function hasKeys(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  platform: PlatformName,
): Promise<boolean> {
  const found = await tx.query(
    `select 1 from platform_records r
     where r.customer_id = $1 and r.entity_type = $2 and r.platform = $3 and r.business_key is not null
     order by r.business_key limit 1`,
    [entityType, platform],
  );
  return found.length > 0;
}

/** What linking the groups of a type came to. */
export interface LinkedGroups {
  /** How many links were made. */
  readonly linked: number;
  /** The records of objects that compete with others; `canonical_id` is `+` and the native ID for a new record. */
  readonly contested: readonly ContestedRecord[];
}

/** A record that is in a contested group or belongs to an object that has a record in one. */
export interface ContestedRecord extends GroupedRecord {
  readonly object: string;
}

/**
 * Links the uncontested groups (see `contestedGroups`): it places new records with the object that stays, and stages
 * the merges of stored objects.
 */
export async function linkUncontested(tx: CustomerTransaction, round: MatchingRound): Promise<LinkedGroups> {
  const rows = await tx.query<LinkedRow>(linkUncontestedGroups(round), [
    ...parametersOf(round),
    platformNames,
  ]);
  return {
    linked: rows[0]?.linked ?? 0,
    contested: rows.flatMap(({ platform, platform_id: platformId, canonical_id: object, ...key }) =>
      platform === null || platformId === null || object === null
        ? []
        : [{ platform, platformId, object, group: groupNameOf(key) }],
    ),
  };
}

const linkUncontestedGroups = ({ entityType, decided }: MatchingRound) => `
  with ${contestedGroups(entityType, decided)},
  placed as (
    update staged_placements p set canonical_id = u.stays from uncontested u
    where ${staged('p')} and u.goes = ${newObject('p')}
    returning 1
  ),
  merged as (
    insert into staged_merges (customer_id, run_id, entity_type, goes, stays)
    select distinct $1::uuid, $4::uuid, $2, u.goes, u.stays from uncontested u where u.goes not like '+%'
    returning 1
  )
  select links.linked, r.platform, r.platform_id, r.canonical_id, r.business_key, r.parent_key
  from (select (select count(*) from placed)::int + (select count(*) from merged)::int as linked) links
  left join contested_records r on true`;

/** A contested record; one row of nulls if there are none. */
interface LinkedRow {
  readonly linked: number;
  readonly platform: PlatformName | null;
  readonly platform_id: string | null;
  readonly canonical_id: string | null;
  readonly business_key: string | null;
  readonly parent_key: string | null;
}

/** Places new records whose objects become others. Their objects are named by `+` and the native ID. */
export async function placeMerged(
  tx: CustomerTransaction,
  { entityType, runId }: MatchingRound,
): Promise<void> {
  await tx.query(placeMergedRecords, [entityType, runId]);
}

/** Deletes the matching results of a run, or of all runs of the customer if none is named. */
export async function deleteStagedMatches(tx: CustomerTransaction, runId?: string): Promise<void> {
  const [which, parameters] = runId === undefined ? ['', []] : ['and run_id = $2', [runId]];
  for (const table of ['staged_placements', 'staged_merges']) {
    await tx.query(`delete from ${table} where customer_id = $1 ${which}`, parameters);
  }
}

/** Stored objects that become others in a run. What begins with a plus is a record that is not stored yet. */
export function storedMerges(entityType: StoredEntityType, runId: string): Merges {
  return {
    relation: 'staged_merges m',
    condition: `m.customer_id = $1 and m.entity_type = $2 and m.run_id = $3 and m.goes not like '+%'`,
    parameters: [entityType, runId],
  };
}

/** Whether stored objects become others in a round. */
export async function anyMerge(
  tx: CustomerTransaction,
  { entityType, runId }: MatchingRound,
): Promise<boolean> {
  const { relation, condition, parameters } = storedMerges(entityType, runId);
  const [any] = await tx.query(`select 1 from ${relation} where ${condition} limit 1`, parameters);
  return any !== undefined;
}

/** Stages objects that become others. @param runId the ID of a run, or of a change that has no run */
export async function stageMerges(
  tx: CustomerTransaction,
  runId: string,
  entityType: StoredEntityType,
  merges: readonly Merge[],
): Promise<void> {
  await tx.query(
    `insert into staged_merges (customer_id, run_id, entity_type, goes, stays)
     select $1, $2, $3, merged.goes, merged.stays from unnest($4::text[], $5::text[]) as merged (goes, stays)`,
    [runId, entityType, merges.map(({ goes }) => goes), merges.map(({ stays }) => stays)],
  );
}

/** An object that becomes another one. */
export interface Merge {
  readonly goes: string;
  readonly stays: string;
}

/** Deletes the merges of a change. */
export async function unstageMerges(tx: CustomerTransaction, changeId: string): Promise<void> {
  await tx.query('delete from staged_merges where customer_id = $1 and run_id = $2', [changeId]);
}

const placeMergedRecords = `
  update staged_placements p set canonical_id = m.stays from staged_merges m
  where p.customer_id = $1 and p.entity_type = $2 and p.run_id = $3
    and m.customer_id = $1 and m.entity_type = $2 and m.run_id = $3 and m.goes = ${newObject('p')}`;

/** The ID that a placed record, under an alias, is stored with. */
export function placedId(alias: string): string {
  return `coalesce(${alias}.canonical_id, ${alias}.own_id)`;
}

/** Takes the ID from placed records whose own ID is taken or whose key is not the only one. @returns how many */
export function dropTakenIds(tx: CustomerTransaction, round: MatchingRound): Promise<number> {
  return tx.execute(takenIds, parametersOf(round));
}

/** Marks the placed records without an ID whose key is the only one under their parent. */
export async function markParents(tx: CustomerTransaction, round: MatchingRound): Promise<void> {
  await tx.query(parentMarks(parentColumn(round.entityType)), parametersOf(round));
}

/** A placed record without an ID. */
export interface UnnamedPlacement {
  readonly platform_id: string;
  readonly business_key: string | null;
  /** The parent in which its key is the only one. */
  readonly named_in: string | null;
}

/** Placed records without an ID. */
export function unnamedPlacements(
  tx: CustomerTransaction,
  { entityType, runId }: MatchingRound,
  limit: number,
): Promise<readonly UnnamedPlacement[]> {
  return tx.query<UnnamedPlacement>(
    `select p.platform_id, p.business_key, p.named_in from staged_placements p
     where p.customer_id = $1 and p.entity_type = $2 and p.run_id = $3 and p.canonical_id is null and p.own_id is null
     limit $4`,
    [entityType, runId, limit],
  );
}

/** Gives placed records the first of their three IDs that is free, in the order of the lists. */
export async function namePlacements(
  tx: CustomerTransaction,
  { entityType, runId }: MatchingRound,
  {
    ids,
    wanted,
    native,
    fresh,
  }: Readonly<Record<'ids' | 'native' | 'fresh', readonly string[]>> & {
    readonly wanted: readonly (string | undefined)[];
  },
): Promise<void> {
  await tx.query(nameRows, [entityType, runId, ids, wanted, native, fresh]);
}

// Every record of the type on this platform that has a key.
const mine = (columns: string) => `
  select ${columns} from staged_placements p where ${staged('p')} and p.business_key is not null
  union all
  select ${columns} from platform_records p where ${ofRound('p')} and p.business_key is not null`;

const takenIds = `
  update staged_placements p set own_id = null
  from (
    select n.platform_id from staged_placements n
    left join (
      select business_key from (${mine('p.business_key')}) keys group by business_key having count(*) > 1
    ) again on again.business_key = n.business_key
    left join canonical_objects o on o.customer_id = $1 and o.entity_type = $2 and o.id = n.own_id
    left join canonical_aliases a on a.customer_id = $1 and a.alias_id = n.own_id
    where ${staged('n')} and n.canonical_id is null
      and (again.business_key is not null or o.id is not null or a.alias_id is not null)
  ) taken
  where ${staged('p')} and p.platform_id = taken.platform_id`;

// Of the keys of records without an ID only: they are few.
function parentMarks(parent: string): string {
  return `
  with unnamed as (
    select distinct p.business_key from staged_placements p
    where ${staged('p')} and p.canonical_id is null and p.own_id is null and p.business_key is not null
  ),
  keyed as (
    select keys.business_key, keys.parent from (${mine(`p.business_key, p.${parent} as parent`)}) keys
    join unnamed on unnamed.business_key = keys.business_key
  )
  update staged_placements p set named_in = p.${parent}
  from (
    select business_key, parent from keyed where parent is not null group by business_key, parent having count(*) = 1
  ) once
  join (select business_key from keyed group by business_key having count(*) > 1) again on again.business_key = once.business_key
  where ${staged('p')} and p.canonical_id is null and p.own_id is null and p.business_key = once.business_key and p.${parent} = once.parent`;
}

// Without the list of IDs inside, all objects of the customer would be read.
const objectsOf = (ids: string) => `(
      select o.id from canonical_objects o where o.customer_id = $1 and o.entity_type = $2 and o.id = any (${ids}::text[])
    )`;
const aliasesOf = (ids: string) => `(
      select a.alias_id from canonical_aliases a where a.customer_id = $1 and a.alias_id = any (${ids}::text[])
    )`;
const nameRows = `
  update staged_placements p set canonical_id = n.id
  from (
    select given.platform_id,
      case
        when o.id is null and a.alias_id is null then given.wanted
        when native_o.id is null and native_a.alias_id is null then given.native
        else given.fresh
      end as id
    from unnest($4::text[], $5::text[], $6::text[], $7::text[]) as given (platform_id, wanted, native, fresh)
    left join ${objectsOf('$5')} o on o.id = given.wanted
    left join ${aliasesOf('$5')} a on a.alias_id = given.wanted
    left join ${objectsOf('$6')} native_o on native_o.id = given.native
    left join ${aliasesOf('$6')} native_a on native_a.alias_id = given.native
  ) n
  where p.customer_id = $1 and p.entity_type = $2 and p.run_id = $3 and p.platform_id = n.platform_id`;
