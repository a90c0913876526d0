import type { CustomerTransaction } from '../../database/transaction/store';
import { ApiError } from '../../common/errors/api-error';
import { objectThen } from '../../records/objects/placement-then';

const projectById = `
  select o.id from canonical_objects o
  where o.customer_id = $1 and o.entity_type = 'project' and o.id = coalesce(
    (select a.canonical_id from canonical_aliases a where a.customer_id = $1 and a.alias_id = $2), $2)`;

// A project whose records were deleted by then had existed.
const projectThen = `
  with named (id) as materialized (select ${objectThen('$2', '$3')})
  select n.id from named n where exists (
    select from platform_records r where r.customer_id = $1 and r.canonical_id in (select id from named)
      and r.entity_type = 'project' and r.since <= $3::timestamptz
  ) or exists (
    select from record_versions v where v.customer_id = $1 and v.canonical_id in (select id from named)
      and v.entity_type = 'project' and v.since <= $3::timestamptz
  )`;

/**
 * The project of a canonical ID or an alias; undefined without an ID.
 *
 * @param asOf a time: the project that the ID named then
 * @throws ApiError NOT_FOUND if the project does not exist
 */
export async function projectNamed(
  tx: CustomerTransaction,
  id: string | undefined,
  asOf?: string,
): Promise<string | undefined> {
  if (id === undefined) return undefined;
  const [project] = await (asOf === undefined
    ? tx.query<{ id: string }>(projectById, [id])
    : tx.query<{ id: string }>(projectThen, [id, asOf]));
  if (project === undefined) {
    throw new ApiError('NOT_FOUND', `No project has this ID${asOf === undefined ? '' : ' at that time'}`);
  }
  return project.id;
}

/** The project of a canonical ID or an alias; the ID itself where no project has it any more. */
export async function projectOnceNamed(
  tx: CustomerTransaction,
  id: string | undefined,
): Promise<string | undefined> {
  if (id === undefined) return undefined;
  const [project] = await tx.query<{ id: string }>(projectById, [id]);
  return project?.id ?? id;
}
