import type { StoredEntityType } from '@app/mapper';
import { typeTraits } from '../platform-records/type-traits';

/**
 * SQL for the records that refer to a project, a contract or an invoice, found by indexes: a relation of `canonical_id` and
 * `entity_type`. `$1` must be the customer.
 *
 * @param parents a relation with the same columns: the objects that the records refer to
 * @param types the types of the records
 * @param limit SQL that limits the rows of each parent and the rows in total; empty for all rows
 */
export function referringTo(parents: string, types: readonly StoredEntityType[], limit: string): string {
  const references = (['project', 'contract', 'invoice'] as const).flatMap((parent) => {
    const referring = types.filter((type) => typeTraits[type].refersTo.includes(parent));
    if (referring.length === 0) return [];
    return `
    (select r.canonical_id, r.entity_type from platform_records r
      where r.customer_id = $1 and r.${parent}_canonical_id = parent.canonical_id
        and r.entity_type in (${referring.map((type) => `'${type}'`).join(', ')}) and parent.entity_type = '${parent}'
      ${limit})`;
  });
  return `
    select n.canonical_id, n.entity_type
    from ${parents} parent cross join lateral (${references.join(' union all ')}) n ${limit}`;
}
