import { listParameter } from '../../database/transaction/list-parameter';
import type { CustomerTransaction } from '../../database/transaction/store';
import { referenceColumns, referenceFields } from '../platform-records/record-columns';
import type { LoadedObject } from '../loaded-object';
import { byObject, copyQuery, objectFrom, type CopyRow } from './copy-rows';

const { columns, joins } = copyQuery();
const objectsById = `
  select ${columns} from platform_records r ${joins}
  where r.customer_id = $1 and r.canonical_id = any(${listParameter('$2')})`;

const parents = referenceFields.map((field) => referenceColumns[field].id);

/**
 * Loads an object and all objects that its records refer to, in no order.
 *
 * @param id SQL for its canonical ID, with `$1` for the customer and further parameters
 */
export async function loadWithNeighbours(
  tx: CustomerTransaction,
  id: string,
  parameters: readonly string[],
): Promise<readonly LoadedObject[]> {
  const sql = `
    select ${columns} from platform_records r ${joins}
    where r.customer_id = $1 and r.canonical_id in (
      select unnest(array[own.canonical_id, ${parents.map((column) => `own.${column}`).join(', ')}])
      from platform_records own where own.customer_id = $1 and own.canonical_id = ${id})`;
  return byObject(await tx.query<CopyRow>(sql, [...parameters])).map(objectFrom);
}

/** Stored bytes of objects and of all objects that their records refer to. The caller names few objects. */
export async function storedBytes(tx: CustomerTransaction, ids: readonly string[]): Promise<number> {
  const [row] = await tx.query<{ bytes: string }>(bytesById, [ids]);
  return Number(row?.bytes ?? 0);
}

const bytesById = `
  select coalesce(sum(octet_length(r.payload::text) + coalesce(octet_length(r.accepted::text), 0)), 0) as bytes
  from platform_records r where r.customer_id = $1 and r.canonical_id in (
    select unnest(array[own.canonical_id, ${parents.map((column) => `own.${column}`).join(', ')}])
    from platform_records own where own.customer_id = $1 and own.canonical_id = any($2))`;

/** Loads objects by their canonical IDs, in no order. An ID without records is left out. */
export async function loadObjects(
  tx: CustomerTransaction,
  ids: readonly string[],
): Promise<readonly LoadedObject[]> {
  return byObject(await tx.query<CopyRow>(objectsById, [ids])).map(objectFrom);
}
