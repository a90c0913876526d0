import { randomUUID } from 'node:crypto';
import {
  stringifyJson,
  type JsonObject,
  type NativeReference,
  type PlatformName,
  type RateQuote,
  type StoredEntityType,
} from '@app/mapper';
import type { Store } from '../database/store';
import {
  referenceColumns,
  refText,
  type IncomingRecord,
  type ReferenceField,
} from '../records/incoming-record';
import type { ChangeTarget } from './change';

/**
 * Holds the customer's row shared, so that no connect and no deletion comes between, and locks the object that a change
 * is for. Changes of one object follow one another by this lock. Undefined when there is no such object.
 */
export async function lockObject(
  store: Store,
  customerId: string,
  entityType: StoredEntityType,
  target: ChangeTarget,
): Promise<{ readonly customerExists: boolean; readonly id: string | undefined }> {
  // Less than a request may take, so that waiting for others is told apart from a database that does not answer.
  await store.query(`set local lock_timeout = '3s'`);
  const [customer] = await store.query('select id from customers where id = $1 for key share', [customerId]);
  if (customer === undefined) return { customerExists: false, id: undefined };
  const [sql, parameters] =
    target.format === 'canonical'
      ? [
          `select id from canonical_objects where customer_id = $1 and entity_type = $2 and id = coalesce(
             (select canonical_id from canonical_aliases where customer_id = $1 and alias_id = $3), $3) for update`,
          [customerId, entityType, target.canonicalId],
        ]
      : [
          `select id from canonical_objects where customer_id = $1 and entity_type = $2 and id = (
             select canonical_id from platform_records
             where customer_id = $1 and entity_type = $2 and platform = $3 and platform_id = $4) for update`,
          [customerId, entityType, target.platform, target.platformId],
        ];
  const [row] = await store.query<{ id: string }>(sql, parameters);
  return { customerExists: true, id: row?.id };
}

/** The customer's connections and own rates, in one round trip. */
export async function loadSurroundings(
  store: Store,
  customerId: string,
): Promise<{
  readonly connections: readonly { readonly platform: PlatformName; readonly currency: string }[];
  readonly rates: readonly RateQuote[];
}> {
  const [row] = await store.query<{
    connections: { platform: PlatformName; currency: string }[] | null;
    rates: RateQuote[] | null;
  }>(
    `select
       (select json_agg(json_build_object('platform', platform, 'currency', currency))
          from connections where customer_id = $1) as connections,
       (select json_agg(json_build_object('from', from_currency, 'to', to_currency, 'rate', rate))
          from exchange_rates where customer_id = $1) as rates`,
    [customerId],
  );
  return { connections: row?.connections ?? [], rates: row?.rates ?? [] };
}

/** The canonical IDs that a platform's references lead to; undefined for those that lead nowhere, or to several. */
export async function findReferred(
  store: Store,
  customerId: string,
  platform: PlatformName,
  references: readonly NativeReference[],
): Promise<readonly (string | undefined)[]> {
  if (references.length === 0) return [];
  const wanted = references.map((reference, place) => ({
    place,
    entity_type: reference.refersTo,
    platform_id: reference.by === 'id' ? reference.value : null,
    business_key: reference.by === 'key' ? (refText(reference)?.slice('key:'.length) ?? null) : null,
  }));
  const rows = await store.query<{ place: number; canonical_id: string }>(
    `select wanted.place, min(r.canonical_id) as canonical_id
     from json_to_recordset($3) as wanted(place int, entity_type text, platform_id text, business_key text)
     join platform_records r on r.customer_id = $1 and r.platform = $2 and r.entity_type = wanted.entity_type
       and (r.platform_id = wanted.platform_id or r.business_key = wanted.business_key)
     group by wanted.place having count(*) = 1`,
    [customerId, platform, JSON.stringify(wanted)],
  );
  return references.map((_, place) => rows.find((row) => row.place === place)?.canonical_id);
}

/**
 * Whether another object of the type already has a key on one of these platforms. Changes to one and the same key wait
 * for each other first, so that two of them cannot both find it free.
 */
export async function isKeyTaken(
  store: Store,
  customerId: string,
  entityType: StoredEntityType,
  key: string,
  exceptId: string,
  platforms: readonly PlatformName[],
): Promise<boolean> {
  await store.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `${customerId} ${entityType} ${key}`,
  ]);
  const [row] = await store.query(
    `select 1 from platform_records
     where customer_id = $1 and platform = any($2) and entity_type = $3 and business_key = $4 and canonical_id <> $5
     limit 1`,
    [customerId, platforms, entityType, key, exceptId],
  );
  return row !== undefined;
}

/** A record as it stands after a change, ready to be stored. */
export interface ChangedRecord extends Omit<IncomingRecord, 'modified_at'> {
  readonly platform: PlatformName;
  /** Canonical IDs of what it refers to. */
  readonly references: Readonly<Partial<Record<ReferenceField, string>>>;
}

const recordColumns = [
  'platform_id',
  'native_order',
  'variant',
  'currency',
  'business_key',
  'number',
  'project_ref',
  'customer_ref',
  'contract_ref',
  'invoice_ref',
  'project_canonical_id',
  'customer_canonical_id',
  'contract_canonical_id',
  'invoice_canonical_id',
] as const;

/** Stores records of an object, those that are there and those that are new, in one statement. */
export async function saveRecords(
  store: Store,
  customerId: string,
  canonicalId: string,
  records: readonly ChangedRecord[],
): Promise<void> {
  if (records.length === 0) return;
  const rows = records.map(({ references, ...record }) => ({
    ...record,
    ...Object.fromEntries(
      (Object.keys(referenceColumns) as ReferenceField[]).map((field) => [
        referenceColumns[field].id,
        references[field] ?? null,
      ]),
    ),
  }));
  await store.query(
    `insert into platform_records (customer_id, canonical_id, platform, entity_type, ${recordColumns.join(', ')}, payload)
     select $1, $2, platform, entity_type, ${recordColumns.join(', ')}, payload::json
     from json_to_recordset($3) as changed(
       platform text, entity_type text, ${recordColumns.map((column) => `${column} text`).join(', ')}, payload text)
     on conflict (customer_id, platform, entity_type, platform_id) do update set
       ${[...recordColumns, 'payload'].map((column) => `${column} = excluded.${column}`).join(', ')}`,
    [customerId, canonicalId, JSON.stringify(rows)],
  );
}

/** What is kept of a propagation. */
export interface PropagationRecord {
  readonly entityType: StoredEntityType;
  readonly requestId: string;
  readonly updatedFields: readonly string[];
  /** Per platform: status, reason, conversion. */
  readonly outcome: JsonObject;
}

/** Stores what no platform can hold, and the record of the propagation with its conversions. */
export async function savePropagation(
  store: Store,
  customerId: string,
  canonicalId: string,
  extra: JsonObject,
  { entityType, requestId, updatedFields, outcome }: PropagationRecord,
): Promise<void> {
  await store.query(
    `with changed as (
       update canonical_objects set extra = $3::json, revision = revision + 1 where customer_id = $1 and id = $2
     )
     insert into propagations (customer_id, id, canonical_id, entity_type, request_id, updated_fields, outcome)
     values ($1, $4, $2, $5, $6, $7, $8)`,
    [
      customerId,
      canonicalId,
      stringifyJson(extra),
      randomUUID(),
      entityType,
      requestId,
      JSON.stringify(updatedFields),
      stringifyJson(outcome),
    ],
  );
}

/** The objects that canonical IDs or their aliases name, by what was asked for. */
export async function findCanonical(
  store: Store,
  customerId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { readonly id: string; readonly entityType: StoredEntityType }>> {
  const rows = await store.query<{ asked: string; id: string; entity_type: StoredEntityType }>(
    `select asked.id as asked, o.id, o.entity_type
     from unnest($2::text[]) as asked(id)
     left join canonical_aliases a on a.customer_id = $1 and a.alias_id = asked.id
     join canonical_objects o on o.customer_id = $1 and o.id = coalesce(a.canonical_id, asked.id)`,
    [customerId, ids],
  );
  return new Map(rows.map(({ asked, id, entity_type }) => [asked, { id, entityType: entity_type }]));
}
