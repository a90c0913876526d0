import { platformNames, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { timeText } from '../../database/transaction/time-text';
import type { ChangeCause } from '../changes/change-cause';
import type { Merges } from './merges';

/** Makes the IDs of merged objects aliases of the remaining objects. */
export async function insertAliases(
  tx: CustomerTransaction,
  { relation, condition, parameters }: Merges,
  { at }: ChangeCause,
): Promise<void> {
  await tx.query(
    `insert into canonical_aliases (customer_id, alias_id, canonical_id, merged_into, since)
     select m.customer_id, m.goes, m.stays, m.stays, $${parameters.length + 2}::timestamptz
     from ${relation} where ${condition}`,
    [...parameters, at],
  );
}

/** The objects that some IDs name now, by ID. IDs that are no aliases are left out. */
export async function objectsOfAliases(
  tx: CustomerTransaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.query<{ alias_id: string; canonical_id: string }>(
    'select alias_id, canonical_id from canonical_aliases where customer_id = $1 and alias_id = any($2)',
    [ids],
  );
  return new Map(rows.map((row) => [row.alias_id, row.canonical_id]));
}

/** The name of a record, within its type. */
interface NamedRecord {
  readonly platform: PlatformName;
  readonly platformId: string;
}

/** An alias that stands. */
export interface StandingAlias {
  readonly id: string;
  /** The object that it names. */
  readonly object: string;
  /** The ID into whose object its own was merged; it may be an alias itself. */
  readonly mergedInto: string;
  /** The record whose ID it was; undefined where no version shows one. */
  readonly holder: NamedRecord | undefined;
  /** Until when the holder had the ID, as text that sorts by time; empty without a version. */
  readonly heldUntil: string;
}

/**
 * The aliases of some objects. The holder of one is the record that had the ID first. If several records had it first, it is
 * the record of the platform with precedence.
 *
 * @param leaving records that count even if they are deleted; others count while they are there
 */
export async function standingAliases(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  objects: readonly string[],
  leaving: readonly NamedRecord[],
): Promise<readonly StandingAlias[]> {
  const rows = await tx.query<{
    alias_id: string;
    canonical_id: string;
    merged_into: string;
    platform: PlatformName | null;
    platform_id: string | null;
    held_until: string | null;
  }>(standing, [
    entityType,
    objects,
    leaving.map(({ platform, platformId }) => `${platform} ${platformId}`),
    platformNames,
  ]);
  return rows.map(({ platform, platform_id: platformId, ...alias }) => ({
    id: alias.alias_id,
    object: alias.canonical_id,
    mergedInto: alias.merged_into,
    holder: platform === null || platformId === null ? undefined : { platform, platformId },
    heldUntil: alias.held_until ?? '',
  }));
}

const standing = `
  with named as materialized (
    select a.alias_id, a.canonical_id, coalesce(a.merged_into, a.canonical_id) as merged_into
    from canonical_aliases a where a.customer_id = $1 and a.canonical_id = any ($3::text[])
  ),
  versions as materialized (
    select v.canonical_id, v.platform, v.platform_id, min(v.since) as since, max(v.until) as until
    from record_versions v where v.customer_id = $1 and v.entity_type = $2
      and v.canonical_id = any (array(select alias_id from named))
    group by v.canonical_id, v.platform, v.platform_id
  ),
  held as (
    select distinct on (v.canonical_id) v.canonical_id as alias_id, v.platform, v.platform_id, v.until
    from versions v
    where v.platform || ' ' || v.platform_id = any ($4::text[]) or exists (
      select from platform_records r where r.customer_id = $1 and r.platform = v.platform and r.entity_type = $2
        and r.platform_id = v.platform_id
    )
    order by v.canonical_id, v.since, array_position($5::text[], v.platform)
  )
  select n.alias_id, n.canonical_id, n.merged_into, held.platform, held.platform_id, ${timeText('held.until')} as held_until
  from named n left join held on held.alias_id = n.alias_id
  order by n.alias_id`;

/** An ID that has been an alias, after records left the object that it named. */
export interface AliasMove {
  readonly id: string;
  /** The object that it named. */
  readonly from: string;
  /** The object that it names now: itself if it is an object's ID again. */
  readonly to: string;
  /** Whether the ID into whose object its own was merged names that object too. */
  readonly isAlong: boolean;
}

/** Ends aliases and lets others name other objects. What they were before is kept for reads of the past. */
export async function moveAliases(
  tx: CustomerTransaction,
  moves: readonly AliasMove[],
  { at }: ChangeCause,
): Promise<void> {
  const idsOf = (list: readonly AliasMove[]) => list.map(({ id }) => id);
  const again = moves.filter(({ id, to }) => id === to);
  const carried = moves.filter(({ id, to }) => id !== to);
  const ended = moves.filter(({ isAlong }) => !isAlong);
  await tx.query(
    `insert into ended_aliases (customer_id, alias_id, merged_into, since, until)
     select a.customer_id, a.alias_id, coalesce(a.merged_into, a.canonical_id), a.since, $3::timestamptz
     from canonical_aliases a
     where a.customer_id = $1 and a.alias_id = any ($2::text[]) and (a.since is null or a.since < $3::timestamptz)
     on conflict do nothing`,
    [idsOf(ended), at],
  );
  await tx.query('delete from canonical_aliases where customer_id = $1 and alias_id = any ($2::text[])', [
    idsOf(again),
  ]);
  await tx.query(
    `update canonical_aliases a set canonical_id = moved.comes from unnest($2::text[], $3::text[]) as moved (id, comes)
     where a.customer_id = $1 and a.alias_id = moved.id`,
    [idsOf(carried), carried.map(({ to }) => to)],
  );
  await tx.query(
    `update canonical_aliases set merged_into = canonical_id, since = $3::timestamptz
     where customer_id = $1 and alias_id = any ($2::text[])`,
    [idsOf(carried.filter(({ isAlong }) => !isAlong)), at],
  );
}

/** Deletes aliases that ended before a time, `most` at a time. @returns how many */
export function deleteOldAliases(tx: CustomerTransaction, before: Date, most: number): Promise<number> {
  return tx.execute(
    `delete from ended_aliases e using (
       select o.alias_id, o.until from ended_aliases o where o.customer_id = $1 and o.until < $2 limit $3
     ) old
     where e.customer_id = $1 and e.alias_id = old.alias_id and e.until = old.until`,
    [before, most],
  );
}
