import type { Store } from '../database/store';
import { ApiError } from '../errors/api-error';

const projectById = `
  select o.id from canonical_objects o
  where o.customer_id = $1 and o.entity_type = 'project' and o.id = coalesce(
    (select a.canonical_id from canonical_aliases a where a.customer_id = $1 and a.alias_id = $2), $2)`;

/**
 * The project that a canonical ID or an alias of it names; undefined for no ID.
 *
 * @throws ApiError NOT_FOUND without such a project
 */
export async function projectNamed(
  store: Store,
  customerId: string,
  id: string | undefined,
): Promise<string | undefined> {
  if (id === undefined) return undefined;
  const [project] = await store.query<{ id: string }>(projectById, [customerId, id]);
  if (project === undefined) throw new ApiError('NOT_FOUND', 'No project has this ID');
  return project.id;
}
