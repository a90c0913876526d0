import { versionColumns } from '../database/entities/record-columns';

const columns = versionColumns.map(({ name }) => name);
const own = (alias: string) => columns.map((column) => `${alias}.${column}`).join(', ');

/** SQL parameters that hold the time and the ID of a change, such as `$5` and `$6`. */
export interface CauseParameters {
  readonly at: string;
  readonly id: string;
}

/**
 * SQL that keeps records, as they are, before a change replaces or removes them. What the same change made is not kept, so
 * that a change in several statements leaves one version. Where a clock was set back and a version of the same moment is
 * kept already, that one stays.
 *
 * @param selection what follows `from platform_records r`: joins and the condition of the statement that comes next. It
 *   must not select a row twice
 */
export function keepVersions(selection: string, cause: CauseParameters): string {
  return `
  insert into record_versions (${columns.join(', ')}, until, ended_by)
  select ${own('r')}, ${cause.at}::timestamptz, ${cause.id}::uuid from platform_records r ${selection}
    and r.since < ${cause.at}::timestamptz
  on conflict do nothing`;
}

/** Assignments of an update that makes a new version. */
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
    select ${own('n')} from platform_records n where n.customer_id = $1 and n.since <= ${at}::timestamptz
    union all
    select ${own('v')} from record_versions v
    where v.customer_id = $1 and v.since <= ${at}::timestamptz and v.until > ${at}::timestamptz
  )`;
}

/** SQL that keeps the values beside the records of objects, as they are, before a change gives them others. */
export function keepExtra(selection: string, cause: CauseParameters): string {
  return `
  insert into extra_versions (customer_id, canonical_id, extra, since, until, ended_by)
  select o.customer_id, o.id, o.extra, o.extra_since, ${cause.at}::timestamptz, ${cause.id}::uuid
  from canonical_objects o ${selection}
    and (o.extra_since is null or o.extra_since < ${cause.at}::timestamptz)
  on conflict do nothing`;
}
