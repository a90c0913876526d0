import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { CanonicalObjectRow } from '../../database/entities/canonical-object.entity';
import {
  platformNames,
  stringifyJson,
  type JsonObject,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { ChangeCause } from '../changes/change-cause';
import { keepExtras } from '../changes/record-versions.repository';
import { insertAliases } from './aliases.repository';
import type { Merges } from './merges';

/** The table of canonical objects. */
@Injectable()
export class CanonicalObjectsRepository {
  constructor(@InjectRepository(CanonicalObjectRow) private readonly rows: Repository<CanonicalObjectRow>) {}

  /** Locks an object until the transaction ends. Every change of an object holds this lock. */
  async lock(tx: CustomerTransaction, id: string): Promise<void> {
    await tx.query('select 1 from canonical_objects where customer_id = $1 and id = $2 for update', [id]);
  }

  /** The values of an object that no record of it holds, as JSON text; undefined when there is no such object. */
  async findExtra(tx: CustomerTransaction, id: string): Promise<string | undefined> {
    const object = await tx.store.manager
      .withRepository(this.rows)
      .findOne({ select: { id: true, extraText: true }, where: { customerId: tx.customerId, id } });
    return object?.extraText;
  }

  /** Stores such values, and a version with the previous values; sent at the latest with the commit. */
  saveExtra(tx: CustomerTransaction, id: string, extra: JsonObject, cause: ChangeCause): void {
    keepExtras(tx, 'where o.customer_id = $1 and o.id = $2', { at: '$3', id: '$4' }, [
      id,
      cause.at,
      cause.id,
    ]);
    tx.queryLater(
      `update canonical_objects set extra = $3::json, extra_since = $4::timestamptz where customer_id = $1 and id = $2`,
      [id, stringifyJson(extra), cause.at],
    );
  }

  /** Deletes the objects of a customer that have neither a record nor a deleted record. */
  async deleteWithoutRecords(tx: CustomerTransaction): Promise<void> {
    await tx.query(
      `delete from canonical_objects o where o.customer_id = $1
         and not exists (select 1 from platform_records r where r.customer_id = $1 and r.canonical_id = o.id)
         and not exists (select 1 from deleted_records d where d.customer_id = $1 and d.canonical_id = o.id)`,
    );
  }

  /** Deletes the given objects that have neither a record nor a deleted record. */
  async deleteForgotten(tx: CustomerTransaction, ids: readonly string[]): Promise<void> {
    await tx.query(
      `delete from canonical_objects o where o.customer_id = $1 and o.id = any($2::text[])
         and not exists (select 1 from platform_records r where r.customer_id = $1 and r.canonical_id = o.id)
         and not exists (select 1 from deleted_records d where d.customer_id = $1 and d.canonical_id = o.id)`,
      [ids],
    );
  }
}

/** Inserts objects without records. */
export async function insertObjects(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await insertSelectedObjects(tx, 'select $1, comes, $2 from unnest($3::text[]) as comes', [entityType, ids]);
}

/** Inserts the objects that a selection gives: the customer, the canonical ID and the type of each. */
export async function insertSelectedObjects(
  tx: CustomerTransaction,
  selection: string,
  parameters: readonly unknown[],
): Promise<void> {
  await tx.query(`insert into canonical_objects (customer_id, id, entity_type) ${selection}`, parameters);
}

/**
 * Copies the values beside records from merged objects to the remaining ones. A value that the remaining object already
 * has stays. If several objects merge into one at once, the value of the object whose record has precedence counts. The
 * records still belong to the merged objects.
 */
export async function joinExtra(
  tx: CustomerTransaction,
  { relation, condition, parameters }: Merges,
  { at, id }: ChangeCause,
): Promise<void> {
  const cause = { at: `$${parameters.length + 2}`, id: `$${parameters.length + 3}` };
  const gives = `gone.customer_id = $1 and gone.id = m.goes and gone.extra::text <> '{}' and ${condition}`;
  const values = [...parameters, at, id];
  keepExtras(
    tx,
    `where o.customer_id = $1 and o.extra::text <> '{}' and exists (
       select 1 from ${relation} where m.goes = o.id and ${condition})`,
    cause,
    values,
  );
  keepExtras(
    tx,
    `where o.customer_id = $1 and exists (
       select 1 from ${relation}, canonical_objects gone where m.stays = o.id and ${gives})`,
    cause,
    values,
  );
  // Of equal keys the last one counts.
  const brought = `(
    select m.customer_id, m.stays, jsonb_object_agg(value.key, value.value order by (
      select min(array_position($${parameters.length + 3}::text[], r.platform)) from platform_records r
      where r.customer_id = $1 and r.canonical_id = gone.id
    ) desc nulls first, gone.id) as extra
    from ${relation}, canonical_objects gone cross join lateral jsonb_each(gone.extra::jsonb) value
    where ${gives} group by m.customer_id, m.stays)`;
  await tx.query(
    `update canonical_objects o
     set extra = (brought.extra || o.extra::jsonb)::json, extra_since = ${cause.at}::timestamptz
     from ${brought} brought where o.customer_id = $1 and o.id = brought.stays`,
    [...parameters, at, platformNames],
  );
}

/** A record that has left an object for another one. */
export interface PartedRecord {
  readonly platform: PlatformName;
  readonly platformId: string;
  readonly from: string;
  readonly to: string;
}

// The values that each record's former object brought when it merged into the one that the record leaves, as far as
// they are still as the merge left them. $2 to $5 platforms, native IDs, objects left and objects entered; $6 type.
const broughtValues = `(
  select m.goes, m.comes, brought.key, brought.value, had.extra::jsonb -> brought.key is not null as is_own
  from unnest($2::text[], $3::text[], $4::text[], $5::text[]) m (platform, platform_id, goes, comes)
  join canonical_objects left_one on left_one.customer_id = $1 and left_one.id = m.goes
  cross join lateral (
    select v.canonical_id, v.until from record_versions v
    where v.customer_id = $1 and v.platform = m.platform and v.entity_type = $6 and v.platform_id = m.platform_id
      and v.canonical_id <> m.goes
    order by v.until desc limit 1
  ) former
  join canonical_aliases a on a.customer_id = $1 and a.alias_id = former.canonical_id and a.merged_into = m.goes
    and a.since = former.until
  join extra_versions e on e.customer_id = $1 and e.canonical_id = a.alias_id and e.until = a.since
  left join extra_versions had on had.customer_id = $1 and had.canonical_id = m.goes and had.until = a.since
  cross join lateral jsonb_each(e.extra::jsonb) brought
  where left_one.extra::jsonb -> brought.key = coalesce(had.extra::jsonb -> brought.key, brought.value))`;

const partedExtra = `(
  select o.customer_id, o.id, o.extra::jsonb - array_agg(b.key) as extra
  from ${broughtValues} b join canonical_objects o on o.customer_id = $1 and o.id = b.goes
  where not b.is_own group by o.customer_id, o.id, o.extra::jsonb
  union all
  select o.customer_id, o.id, jsonb_object_agg(b.key, b.value) || o.extra::jsonb
  from ${broughtValues} b join canonical_objects o on o.customer_id = $1 and o.id = b.comes
  group by o.customer_id, o.id, o.extra::jsonb)`;

/**
 * Gives values beside records back that a merge joined: a record that leaves an object takes along those that its own
 * former object had brought. Values that were written since the merge stay, and so do all whose merge is older than the
 * retained history.
 */
export async function partExtra(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  records: readonly PartedRecord[],
  { at, id }: ChangeCause,
): Promise<void> {
  if (records.length === 0) return;
  const parameters = [
    records.map(({ platform }) => platform),
    records.map(({ platformId }) => platformId),
    records.map(({ from }) => from),
    records.map(({ to }) => to),
    entityType,
    at,
  ];
  const selection = `, ${partedExtra} parted where o.customer_id = $1 and o.id = parted.id`;
  keepExtras(tx, selection, { at: '$7', id: '$8' }, [...parameters, id]);
  await tx.query(
    `update canonical_objects o set extra = parted.extra::json, extra_since = $7::timestamptz
     from ${partedExtra} parted where o.customer_id = $1 and o.id = parted.id`,
    parameters,
  );
}

/**
 * Makes the IDs of merged objects aliases of the remaining objects, and deletes the merged ones. The caller has updated
 * all references.
 */
export async function endMergedObjects(
  tx: CustomerTransaction,
  merges: Merges,
  cause: ChangeCause,
): Promise<void> {
  const { relation, condition, parameters } = merges;
  await insertAliases(tx, merges, cause);
  await tx.query(
    `delete from canonical_objects o using ${relation} where o.customer_id = $1 and o.id = m.goes and ${condition}`,
    parameters,
  );
}
