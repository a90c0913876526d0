import { platformNames, type PlatformName } from '@app/mapper';

/** The columns about a record's project, from {@link projectColumns}. */
export interface ProjectColumns {
  /** Canonical ID of the record's project, named by the record itself or by its contract or invoice on the same platform. */
  readonly belongs_to: string | null;
  /**
   * Whether it names a project by a key that is unknown on its platform and differs from the key of its linked record's
   * project.
   */
  readonly unknown_project: boolean;
}

/**
 * SQL for the project or customer of a record: the one that the record names, otherwise the one that its contract or its
 * invoice on the same platform names. `$1` must be the customer.
 *
 * @param records the relation of records
 * @param of the alias of the record
 */
export const referredIn = (
  column: 'project_canonical_id' | 'customer_canonical_id',
  records: string,
  of: string,
): string => `coalesce(
    ${of}.${column},
    (select p.${column} from ${records} p
     where p.customer_id = $1 and p.canonical_id = ${of}.contract_canonical_id and p.platform = ${of}.platform),
    (select coalesce(p.${column}, (
       select c.${column} from ${records} c
       where c.customer_id = $1 and c.canonical_id = p.contract_canonical_id and c.platform = p.platform))
     from ${records} p
     where p.customer_id = $1 and p.canonical_id = ${of}.invoice_canonical_id and p.platform = ${of}.platform))`;

/** SQL for the project of a record; see {@link referredIn}. */
export const projectIn = (records: string, of: string): string =>
  referredIn('project_canonical_id', records, of);

/**
 * SQL condition: a record names a project by a key that no project of its platform has, such as the code of a dimension
 * that stands for a project of the other platform.
 *
 * @param of the alias of the record
 */
export const namesUnknownProject = (of: string): string =>
  `(${of}.project_canonical_id is null and coalesce(${of}.project_ref like 'key:%', false))`;

const namesByKeyAlone = namesUnknownProject('r');

/**
 * SQL for the project of a linked record, if its key is the key that this record names. Not a join: the records at a time are
 * a union, and a join of two unions reads all records for each row.
 */
const linkedProjectIn = (records: string): string => `(
    select min(p.canonical_id) from ${records} p
    where p.customer_id = $1 and p.business_key = substr(r.project_ref, 5) and p.canonical_id = any (array(
      select ${projectIn(records, 's')} from ${records} s
      where s.customer_id = $1 and s.canonical_id = r.canonical_id and s.platform <> r.platform)))`;

/**
 * SQL for the columns of a record `r`'s project.
 *
 * @param records the relation of all records at the same time
 */
export function projectColumns(records: string): string {
  return `case when r.entity_type = 'project' then r.canonical_id
      when ${namesByKeyAlone} then ${linkedProjectIn(records)}
      else ${projectIn(records, 'r')} end as belongs_to,
    ${namesByKeyAlone} as unknown_project`;
}

/**
 * Canonical ID of each record's project, by platform. Null if the named project is unknown. A record without a project has
 * no entry. Pure.
 */
export function projectsByPlatform(
  rows: readonly (ProjectColumns & { readonly platform: PlatformName })[],
): ReadonlyMap<PlatformName, string | null> {
  const projects = new Map<PlatformName, string | null>();
  for (const { platform, belongs_to: project, unknown_project: isUnknown } of rows) {
    if (project !== null || isUnknown) projects.set(platform, project);
  }
  return projects;
}

/** The project to which an object's record counts: a record without a project counts to that of a linked record. Pure. */
export function projectOn(
  projects: ReadonlyMap<PlatformName, string | null>,
  platform: PlatformName,
): string | null {
  if (projects.has(platform)) return projects.get(platform) ?? null;
  const [first] = platformNames.filter((one) => projects.has(one));
  return (first && projects.get(first)) ?? null;
}
