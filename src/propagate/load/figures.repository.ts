import type { StoredEntityType } from '@app/mapper';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import { byObject, copyQuery, objectFrom, type CopyRow } from '../../records/objects/copy-rows';
import { loadObjects } from '../../records/objects/stored-objects.repository';
import type { LoadedObject } from '../../records/loaded-object';
import type { Figures } from '../plan/context/figures';
import type { TargetSql } from './locked-object.repository';

/** The most records that are added up for one change, and the most bytes that these records may have together. */
const MOST = { records: 1_000, bytes: 8 * 1024 * 1024 } as const;

/**
 * Columns of a record that refer to the objects its amount is compared with. The children of these objects are added
 * up.
 */
const parentColumns: Readonly<Record<StoredEntityType, readonly string[]>> = {
  project: [],
  customer: [],
  payment: ['invoice_canonical_id'],
  invoice: ['canonical_id', 'contract_canonical_id'],
  contract: ['canonical_id'],
};

/**
 * Locks the objects that an object's amount is compared with, and loads the records that are added up for them. The
 * caller has locked the object itself. Locks are taken from payments to invoices to contracts, and by ID within a type,
 * which rules out deadlocks. Changes of two payments of one invoice run one after the other.
 */
export async function loadFigures(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  { id, parameters }: TargetSql,
): Promise<Figures> {
  const columns = parentColumns[entityType].map((column) => `own.${column}`).join(', ');
  const parents = `
    select unnest(array[${columns}]) from platform_records own
    where own.customer_id = $1 and own.canonical_id = ${id}`;
  return loadAround(tx.store, parents, [tx.customerId, ...parameters]);
}

/**
 * Like {@link loadFigures}, for objects by their IDs, such as the previous and the new parent of an object. The objects
 * are read after they are locked, because earlier reads may be out of date.
 */
export async function loadFiguresOf(
  tx: CustomerTransaction,
  ids: readonly string[],
): Promise<{ readonly figures: Figures; readonly parents: readonly LoadedObject[] }> {
  const [figures, parents] = await Promise.all([
    loadAround(tx.store, `select unnest($2::text[])`, [tx.customerId, ids]),
    loadObjects(tx, ids),
  ]);
  return { figures, parents };
}

async function loadAround(store: Store, parents: string, parameters: readonly unknown[]): Promise<Figures> {
  const [, rows] = await Promise.all([
    // This lock mode lets other transactions insert rows that refer to the objects: the key does not change.
    store.query(
      `select id from canonical_objects where customer_id = $1 and id in (${parents})
       order by id for no key update`,
      parameters,
    ),
    // A separate statement after the locks, so that it sees what their previous holders committed.
    store.query<CopyRow & { readonly found: number }>(childrenOf(parents), parameters),
  ]);
  return {
    objects: byObject(rows).map(objectFrom),
    complete: rows.length <= MOST.records && rows.length === (rows[0]?.found ?? 0),
  };
}

const { columns: copyColumns, joins } = copyQuery();

const childIds = (entityType: 'payment' | 'invoice', column: string): string => `
  (select c.canonical_id from platform_records c
   where c.customer_id = $1 and c.entity_type = '${entityType}' and c.${column} in (select p.id from parents p)
   limit ${MOST.records + 1})`;

function childrenOf(parents: string): string {
  return `
    with parents (id) as materialized (${parents})
    select * from (
      select copy.*, (count(*) over ())::int as found, row_number() over places as place,
        sum(octet_length(copy.payload) + coalesce(octet_length(copy.accepted), 0)) over places as bytes
      from (
        select ${copyColumns} from platform_records r ${joins}
        where r.customer_id = $1 and r.canonical_id in (
          ${childIds('payment', 'invoice_canonical_id')} union ${childIds('invoice', 'contract_canonical_id')}
        )
        limit ${MOST.records + 1} offset 0
      ) copy
      window places as (order by copy.canonical_id, copy.platform)
    ) measured
    where bytes <= ${MOST.bytes} or place = 1`;
}
