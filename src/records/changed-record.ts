import { mappingOf } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/customer-transaction';
import type { ChangeCause } from './changes';
import { columnsOf, nativeOrder } from './incoming-record';
import {
  contentColumns,
  fieldKeptIn,
  placementColumns,
  referenceColumns,
  referenceFields,
} from './record-columns';
import { keepVersions } from './record-versions';
import type { LoadedObject, StoredCopy } from './stored-objects';

const columns = [
  'platform_id',
  ...contentColumns.filter((name) => name !== 'payload'),
  ...placementColumns.filter((name) => name !== 'canonical_id'),
] as const;

/**
 * Stores records of an object, those that are there and those that are new, and keeps what they replace. Keys and
 * columns follow what the canonical object shows: the accepted record while a write is open. A native ID that is another
 * object's stays as it is.
 */
export async function saveRecords(
  tx: CustomerTransaction,
  object: Pick<LoadedObject, 'id' | 'entityType'>,
  copies: readonly StoredCopy[],
  cause: ChangeCause,
): Promise<void> {
  if (copies.length === 0) return;
  keepReplaced(tx, object, copies, cause);
  await tx.store.query(
    `${upsert} where platform_records.canonical_id = excluded.canonical_id`,
    parametersOf(tx.customerId, object, copies, cause),
  );
}

/** The same with the commit at the latest. A native ID that is another object's ends the unit of work. */
export function saveOwnRecords(
  tx: CustomerTransaction,
  object: Pick<LoadedObject, 'id' | 'entityType'>,
  copies: readonly StoredCopy[],
  cause: ChangeCause,
): void {
  if (copies.length === 0) return;
  keepReplaced(tx, object, copies, cause);
  // The column takes no null.
  const own = `case when platform_records.canonical_id = excluded.canonical_id then excluded.canonical_id end`;
  tx.store.queryLater(`${upsert}, canonical_id = ${own}`, parametersOf(tx.customerId, object, copies, cause));
}

function keepReplaced(
  tx: CustomerTransaction,
  { id }: Pick<LoadedObject, 'id'>,
  copies: readonly StoredCopy[],
  cause: ChangeCause,
): void {
  const platforms = copies.map(({ platform }) => platform);
  tx.queryLater(keep, [id, platforms, cause.at, cause.id]);
}

const keep = keepVersions('where r.customer_id = $1 and r.canonical_id = $2 and r.platform = any ($3)', {
  at: '$4',
  id: '$5',
});

const names = columns.join(', ');
// All from `excluded`: of an insert that selects, Citus sends the update without the parameters' types.
const replaced = [...columns, 'payload', 'accepted', 'written_at', 'since', 'changed_by'];
const upsert = `
  insert into platform_records (
    customer_id, canonical_id, entity_type, platform, ${names}, payload, accepted, written_at, since, changed_by)
  select $1, $2, $3, platform, ${names}, payload::json, accepted::json, $5::timestamptz, $5::timestamptz, $6::uuid
  from json_to_recordset($4) as changed(
    platform text, ${columns.map((column) => `${column} text`).join(', ')}, payload text, accepted text)
  on conflict (customer_id, platform, entity_type, platform_id) do update set
    ${replaced.map((column) => `${column} = excluded.${column}`).join(', ')},
    missed = 0, missing_since = null`;

function parametersOf(
  customerId: string,
  { id, entityType }: Pick<LoadedObject, 'id' | 'entityType'>,
  copies: readonly StoredCopy[],
  cause: ChangeCause,
): readonly string[] {
  const rows = JSON.stringify(copies.map((copy) => rowOf(entityType, copy)));
  return [customerId, id, entityType, rows, cause.at, cause.id];
}

function rowOf(
  entityType: LoadedObject['entityType'],
  copy: StoredCopy,
): Readonly<Record<string, string | null>> {
  const mapping = mappingOf(copy.platform, entityType, { variant: copy.variant });
  return {
    platform: copy.platform,
    platform_id: copy.platformId,
    native_order: nativeOrder(copy.platformId),
    variant: copy.variant,
    ...columnsOf(entityType, mapping.readOnce(copy.payload, copy)),
    ...Object.fromEntries(
      referenceFields.map((field) => [
        referenceColumns[field].id,
        copy.references[fieldKeptIn(entityType, field)] ?? null,
      ]),
    ),
    payload: copy.payloadText,
    accepted: copy.accepted,
  };
}
