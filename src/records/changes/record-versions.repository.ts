import type { PlatformName } from '@app/mapper';
import { columnList } from '../../database/column-list';
import { versionColumns } from '../../database/entities/record-columns';
import type { CustomerTransaction } from '../../database/transaction/store';

const columns = versionColumns.map(({ name }) => name);

/** SQL parameters that hold the time and the ID of a change, such as `$5` and `$6`. */
export interface CauseParameters {
  readonly at: string;
  readonly id: string;
}

/**
 * Keeps the present version of records before a change replaces or removes them. It is sent at the latest with the next
 * statement. A version that the same change made is not kept, so a change in several statements leaves one version. If
 * the clock was set back and a version of the same moment is already kept, the kept one stays.
 *
 * @param selection what follows `from platform_records r`: joins and the condition of the statement that comes next. It
 *   must not select a row twice
 */
export function keepVersions(
  tx: CustomerTransaction,
  selection: string,
  cause: CauseParameters,
  parameters: readonly unknown[],
): void {
  tx.queryLater(
    `insert into record_versions (${columns.join(', ')}, until, ended_by)
     select ${columnList('r', columns)}, ${cause.at}::timestamptz, ${cause.id}::uuid from platform_records r ${selection}
       and r.since < ${cause.at}::timestamptz
     on conflict do nothing`,
    parameters,
  );
}

/** SQL assignments of an update that starts a new version of a record. */
export function versionBy({ at, id }: CauseParameters): string {
  return `since = ${at}::timestamptz, changed_by = ${id}::uuid`;
}

/**
 * SQL for the records of a customer, `$1`, as they were at a time: a relation with the columns of a version. The records
 * at one time in the past never change, so pages of them that are read one after the other show one moment.
 *
 * @param at the parameter that holds the time, such as `$3`
 */
export function recordsAt(at: string): string {
  return `(
    select ${columnList('n', columns)} from platform_records n where n.customer_id = $1 and n.since <= ${at}::timestamptz
    union all
    select ${columnList('v', columns)} from record_versions v
    where v.customer_id = $1 and v.since <= ${at}::timestamptz and v.until > ${at}::timestamptz
  )`;
}

/**
 * Keeps an object's values beside its records before a change replaces them. It is sent at the latest with the next
 * statement.
 *
 * @param selection what follows `from canonical_objects o`
 */
export function keepExtras(
  tx: CustomerTransaction,
  selection: string,
  cause: CauseParameters,
  parameters: readonly unknown[],
): void {
  tx.queryLater(
    `insert into extra_versions (customer_id, canonical_id, extra, since, until, ended_by)
     select o.customer_id, o.id, o.extra, o.extra_since, ${cause.at}::timestamptz, ${cause.id}::uuid
     from canonical_objects o ${selection}
       and (o.extra_since is null or o.extra_since < ${cause.at}::timestamptz)
     on conflict do nothing`,
    parameters,
  );
}

/** Deletes the versions of a platform's records. */
export async function deleteVersionsOf(tx: CustomerTransaction, platform: PlatformName): Promise<void> {
  await tx.query('delete from record_versions where customer_id = $1 and platform = $2', [platform]);
}

/** Deletes versions of records that ended before a time, `most` at a time. @returns how many */
export function deleteOldVersions(tx: CustomerTransaction, before: Date, most: number): Promise<number> {
  return tx.execute(
    `delete from record_versions v using (
       select o.platform, o.entity_type, o.platform_id, o.since from record_versions o
       where o.customer_id = $1 and o.until < $2 order by o.until limit $3
     ) old
     where v.customer_id = $1 and v.platform = old.platform and v.entity_type = old.entity_type
       and v.platform_id = old.platform_id and v.since = old.since`,
    [before, most],
  );
}

/** Deletes versions of the values beside records that ended before a time, `most` at a time. @returns how many */
export function deleteOldExtras(tx: CustomerTransaction, before: Date, most: number): Promise<number> {
  return tx.execute(
    `delete from extra_versions v using (
       select o.canonical_id, o.until from extra_versions o where o.customer_id = $1 and o.until < $2 limit $3
     ) old
     where v.customer_id = $1 and v.canonical_id = old.canonical_id and v.until = old.until`,
    [before, most],
  );
}
