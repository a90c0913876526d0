import type { PlatformName, StoredEntityType } from '@app/mapper';
import {
  customersWithOlderRows,
  type CustomersWithOlderRows,
  type OlderRow,
} from '../../database/transaction/older-rows';
import { SANDBOX_SOURCE } from '../../platforms/credentials/company';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import type { RecordUpdate } from './platform-records.repository';
import { contentColumns, placementColumns } from './record-columns';

/** Whether a platform has deleted records of a type that are still kept. */
export async function hasDeletedRecords(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  platform: PlatformName,
): Promise<boolean> {
  const [any] = await tx.query(
    'select 1 from deleted_records where customer_id = $1 and entity_type = $2 and platform = $3 limit 1',
    [entityType, platform],
  );
  return any !== undefined;
}

const kept = [
  'customer_id',
  'platform',
  'entity_type',
  'platform_id',
  ...contentColumns,
  ...placementColumns,
];

/**
 * Keeps records as deleted before they are removed. They replace earlier deleted records with the same native ID.
 *
 * @param condition SQL for which rows of `platform_records` as `r`; its parameters are `$1`, the customer, to `$3`
 * @param at when they were deleted: the end of their last version, as history and reads of that time show it
 * @param source where they were read from, see `sourceOf`; null if that is not known
 */
export async function keepAsDeleted(
  tx: CustomerTransaction,
  condition: string,
  parameters: readonly [entityType: StoredEntityType, platform: PlatformName],
  at: string,
  source: string | null,
): Promise<void> {
  await tx.query(
    `delete from deleted_records d using platform_records r
     where d.customer_id = $1 and d.entity_type = $2 and d.platform = $3 and d.platform_id = r.platform_id and ${condition}`,
    parameters,
  );
  await tx.query(
    `insert into deleted_records (${kept.join(', ')}, deleted_at, source)
     select ${kept.map((column) => `r.${column}`).join(', ')}, $4::timestamptz, $5 from platform_records r where ${condition}`,
    [...parameters, at, source],
  );
}

/** Updates deleted records as `updateRecords` does present ones. @returns how many */
export function updateDeletedRecords(
  tx: CustomerTransaction,
  { set, from, where }: Required<RecordUpdate>,
  parameters: readonly unknown[],
): Promise<number> {
  return tx.execute(`update deleted_records r set ${set.join(', ')} from ${from} where ${where}`, parameters);
}

/** Deletes rows of `deleted_records` as `d`. @returns how many */
export function deleteDeletedRecords(
  tx: CustomerTransaction,
  condition: string,
  parameters: readonly unknown[],
): Promise<number> {
  return tx.execute(`delete from deleted_records d where ${condition}`, parameters);
}

/** Attributes the deleted records of a source to another one, which is the same company under another address. */
export async function renameSource(
  tx: CustomerTransaction,
  platform: PlatformName,
  before: string,
  after: string,
): Promise<void> {
  await tx.query(
    'update deleted_records set source = $4 where customer_id = $1 and platform = $2 and source = $3',
    [platform, before, after],
  );
}

/** Whether deleted records of a platform are kept that did not come from its sandbox, or may not have. */
export async function hasDeletedOfLive(tx: CustomerTransaction, platform: PlatformName): Promise<boolean> {
  const [any] = await tx.query(
    'select 1 from deleted_records where customer_id = $1 and platform = $2 and source is distinct from $3 limit 1',
    [platform, SANDBOX_SOURCE],
  );
  return any !== undefined;
}

/** Removes the deleted records of a platform, and the moves of these records between objects. @returns how many records */
export async function forgetDeletedOf(tx: CustomerTransaction, platform: PlatformName): Promise<number> {
  const ofPlatform = 'd.customer_id = $1 and d.platform = $2';
  const forgotten = await deleteDeletedRecords(tx, ofPlatform, [platform]);
  await tx.query('delete from absent_moves where customer_id = $1 and platform = $2', [platform]);
  return forgotten;
}

/**
 * Moves deleted records to other objects, and keeps the time of the move. If one change moves a record twice, only the
 * last move is kept.
 *
 * @param placement the column of `deleted_records`, which the condition names `r`
 * @param moved a relation `moved` whose column `comes` holds the new value
 * @param condition which of the records move
 * @param parameters of both, from `$2` on; the time of the change follows them
 */
export async function moveDeletedRecords(
  tx: CustomerTransaction,
  {
    placement,
    moved,
    condition,
  }: { readonly placement: string; readonly moved: string; readonly condition: string },
  parameters: readonly unknown[],
  at: string,
): Promise<void> {
  const time = `$${parameters.length + 2}`;
  tx.queryLater(
    `insert into absent_moves (customer_id, platform, entity_type, platform_id, placement, at, canonical_id)
     select distinct on (r.platform, r.entity_type, r.platform_id)
       r.customer_id, r.platform, r.entity_type, r.platform_id, '${placement}', ${time}::timestamptz, moved.comes
     from deleted_records r, ${moved} where ${condition}
     on conflict (customer_id, platform, entity_type, platform_id, placement, at)
     do update set canonical_id = excluded.canonical_id`,
    [...parameters, at],
  );
  await tx.query(
    `update deleted_records r set ${placement} = moved.comes from ${moved} where ${condition}`,
    parameters,
  );
}

/**
 * Keeps that deleted records stay with some objects whose aliases other objects take along. A record that was deleted with an
 * alias as its object would go with it otherwise. The caller has moved the records that do go.
 *
 * @param placement the column of `deleted_records` that names the objects
 */
export async function keepPlacements(
  tx: CustomerTransaction,
  placement: string,
  objects: readonly string[],
  at: string,
): Promise<void> {
  await tx.query(
    `insert into absent_moves (customer_id, platform, entity_type, platform_id, placement, at, canonical_id)
     select r.customer_id, r.platform, r.entity_type, r.platform_id, '${placement}', $3::timestamptz, r.${placement}
     from deleted_records r where r.customer_id = $1 and r.${placement} = any ($2::text[])
     on conflict do nothing`,
    [objects, at],
  );
}

/** Deletes moves of deleted records that happened before a time, `most` at a time. @returns how many */
export function deleteOldMoves(tx: CustomerTransaction, before: Date, most: number): Promise<number> {
  return tx.execute(
    `delete from absent_moves m using (
       select o.platform, o.entity_type, o.platform_id, o.placement, o.at from absent_moves o
       where o.customer_id = $1 and o.at < $2 limit $3
     ) old
     where m.customer_id = $1 and m.platform = old.platform and m.entity_type = old.entity_type
       and m.platform_id = old.platform_id and m.placement = old.placement and m.at = old.at`,
    [before, most],
  );
}

/** A page of customers with records that were deleted before a time. Reads across customers. */
export function customersWithOldDeleted(
  store: Store,
  before: Date,
  after?: OlderRow,
): Promise<CustomersWithOlderRows> {
  return customersWithOlderRows(store, { table: 'deleted_records', time: 'deleted_at' }, before, after);
}

/**
 * Deletes records that were deleted before a time, except those of objects with a command that is open or held.
 * @returns the objects that the records belonged to
 */
export async function deleteOldDeleted(tx: CustomerTransaction, before: Date): Promise<readonly string[]> {
  const removed = await tx.query<{ canonical_id: string }>(
    `delete from deleted_records d where d.customer_id = $1 and d.deleted_at < $2
       and not exists (
         select 1 from outbox_commands c where c.customer_id = $1 and c.canonical_id = d.canonical_id
           and (c.decided_at is null or c.status = 'held'))
     returning canonical_id`,
    [before],
  );
  return [...new Set(removed.map((row) => row.canonical_id))];
}
