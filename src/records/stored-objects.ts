import {
  inPrecedence,
  isJsonObject,
  parseJsonText,
  type JsonObject,
  type PlatformCopy,
  type PlatformName,
  type StoredEntityType,
  type StoredObject,
} from '@app/mapper';
import type { Store } from '../database/store';
import { referenceColumns, referenceFields, type ReferenceField } from './incoming-record';

/**
 * A record of an object. Canonical data is read from its `payload`: the record as the platform is known to hold it or, while
 * a write is accepted and not decided, as that write will make it.
 */
export interface StoredCopy extends PlatformCopy {
  /** What the platform is known to hold. */
  readonly known: JsonObject;
  /** The same as the JSON text that is stored. */
  readonly payloadText: string;
  /** JSON text of the record as it will be; null when no write to it is open. */
  readonly accepted: string | null;
}

/** An object with all its records. */
export interface LoadedObject extends StoredObject {
  readonly entityType: StoredEntityType;
  readonly copies: readonly StoredCopy[];
}

type CopyRow = {
  readonly canonical_id: string;
  readonly entity_type: StoredEntityType;
  readonly platform: PlatformName;
  readonly platform_id: string;
  readonly variant: string | null;
  readonly payload: string;
  readonly accepted: string | null;
  readonly extra: string;
  readonly inherited_currency: string;
  readonly local_currency: string;
  readonly invoice_number: string | null;
} & { readonly [Field in ReferenceField as (typeof referenceColumns)[Field]['id']]: string | null };

// What a record inherits from those it refers to: the currency of its contract, of the contract's project, of its own
// project; and the number of the invoice it pays.
const copyColumns = `
  r.canonical_id, r.entity_type, r.platform, r.platform_id, r.variant, r.payload::text as payload,
  r.accepted::text as accepted, o.extra::text as extra,
  ${referenceFields.map((field) => `r.${referenceColumns[field].id}`).join(', ')},
  coalesce(contract.currency, contract_project.currency, project.currency, c.currency) as inherited_currency, c.currency as local_currency,
  invoice.number as invoice_number`;

const copyJoins = `
  join canonical_objects o on o.customer_id = r.customer_id and o.id = r.canonical_id
  join connections c on c.customer_id = r.customer_id and c.platform = r.platform
  ${(['contract', 'project', 'invoice'] as const)
    .map(
      (parent) => `left join platform_records ${parent} on ${parent}.customer_id = r.customer_id
        and ${parent}.canonical_id = r.${parent}_canonical_id and ${parent}.platform = r.platform`,
    )
    .join(' ')}
  left join platform_records contract_project on contract_project.customer_id = r.customer_id
    and contract_project.canonical_id = contract.project_canonical_id and contract_project.platform = r.platform`;

const objectsById = `
  select ${copyColumns} from platform_records r ${copyJoins}
  where r.customer_id = $1 and r.canonical_id = any($2)`;

/** Loads objects by their canonical IDs, in no order. An ID without records gives none. */
export async function loadObjects(
  store: Store,
  customerId: string,
  ids: readonly string[],
): Promise<readonly LoadedObject[]> {
  return groupCopies(await store.query<CopyRow>(objectsById, [customerId, ids]));
}

/** Where a listing goes on: after this record. */
export interface ListingPosition {
  readonly nativeOrder: string;
  readonly platformId: string;
}

/** One record of a listing, and its object. */
export interface ListedRecord {
  readonly platformId: string;
  readonly loaded: LoadedObject;
}

const listingPage = `
  with page as (
    select r.canonical_id, r.native_order, r.platform_id from platform_records r
    where r.customer_id = $1 and r.platform = $2 and r.entity_type = $3 and (r.native_order, r.platform_id) > ($4, $5)
    order by r.native_order, r.platform_id
    limit $6
  )
  select ${copyColumns}, page.native_order as page_order, page.platform_id as page_platform_id
  from page
  join platform_records r on r.customer_id = $1 and r.canonical_id = page.canonical_id
  ${copyJoins}
  order by page.native_order, page.platform_id`;

/**
 * A page of a platform's records of one type, by native ID (numbers as numbers), each with its whole object; and where
 * the next page begins, undefined after the last.
 */
export async function listPage(
  store: Store,
  customerId: string,
  platform: PlatformName,
  entityType: StoredEntityType,
  after: ListingPosition | undefined,
  limit: number,
): Promise<{ readonly records: readonly ListedRecord[]; readonly next: ListingPosition | undefined }> {
  const { nativeOrder, platformId } = after ?? { nativeOrder: '', platformId: '' };
  const rows = await store.query<CopyRow & { page_order: string; page_platform_id: string }>(listingPage, [
    customerId,
    platform,
    entityType,
    nativeOrder,
    platformId,
    limit,
  ]);
  const pageIds = new Map(rows.map((row) => [row.canonical_id, row.page_platform_id]));
  const records = groupCopies(rows).map((loaded) => ({ platformId: pageIds.get(loaded.id) ?? '', loaded }));
  const last = rows.at(-1);
  const full = records.length === limit && last !== undefined;
  return {
    records,
    next: full ? { nativeOrder: last.page_order, platformId: last.page_platform_id } : undefined,
  };
}

/** The mapping rows of an object: its record on each platform, in order of precedence. */
export function mappingsOf({
  copies,
}: LoadedObject): readonly { platform: PlatformName; platform_id: string }[] {
  return copies.map(({ platform, platformId }) => ({ platform, platform_id: platformId }));
}

// Rows of one object may be apart. Objects come out in the order of their first row.
function groupCopies(rows: readonly CopyRow[]): readonly LoadedObject[] {
  const groups = new Map<string, [CopyRow, ...CopyRow[]]>();
  for (const row of rows) {
    const group = groups.get(row.canonical_id);
    if (group === undefined) groups.set(row.canonical_id, [row]);
    else group.push(row);
  }
  return [...groups.values()].map((group) => ({
    id: group[0].canonical_id,
    entityType: group[0].entity_type,
    extra: objectFrom(group[0].extra),
    copies: inPrecedence(group.map(copyFrom)),
  }));
}

function copyFrom(row: CopyRow): StoredCopy {
  const known = objectFrom(row.payload);
  const references = referenceFields.flatMap((field): [string, string][] => {
    const id = row[referenceColumns[field].id];
    return id === null ? [] : [[field, id]];
  });
  return {
    platform: row.platform,
    platformId: row.platform_id,
    variant: row.variant,
    payload: row.accepted === null ? known : objectFrom(row.accepted),
    known,
    payloadText: row.payload,
    accepted: row.accepted,
    inheritedCurrency: row.inherited_currency,
    localCurrency: row.local_currency,
    references: Object.fromEntries(references),
    ...(row.entity_type === 'payment' && { derived: { invoice_number: row.invoice_number } }),
  };
}

function objectFrom(text: string): JsonObject {
  const value = parseJsonText(text);
  if (!isJsonObject(value)) throw new Error('A stored record is no JSON object');
  return value;
}
