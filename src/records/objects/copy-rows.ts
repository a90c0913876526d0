import {
  fieldsOf,
  groupBy,
  inPrecedence,
  isJsonObject,
  parseJsonText,
  type JsonObject,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import {
  fieldKeptIn,
  referenceColumns,
  referenceFields,
  type ReferenceField,
} from '../platform-records/record-columns';
import type { LoadedObject, StoredCopy } from '../loaded-object';
import { currencyThen } from '../connections/connection-currencies.repository';
import { recordsAt } from '../changes/record-versions.repository';

/** One record of an object as it is read: everything that determines the canonical object, as text. */
export type CopyRow = {
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

/** The records of one object. */
export type ObjectRows = readonly [CopyRow, ...CopyRow[]];

/** SQL that reads rows of records. `$1` must be the customer. */
export interface CopyQuery {
  /** What follows `select`. */
  readonly columns: string;
  /** The names of its columns. */
  readonly names: readonly string[];
  /** What follows `from platform_records r`, or the relation of records at a time, under the same alias. */
  readonly joins: string;
  /**
   * A bytea value that changes whenever any of the columns changes. It is computed without reading the record itself.
   */
  readonly token: string;
}

/**
 * Reads rows of records of one type, or of all types. A record inherits the currency of its contract, of the contract's
 * project or of its own project, if one of them names a currency, even an invalid one. A payment also inherits the
 * currency of the invoice that it pays or of its customer, and the invoice's number. For one type, only the parents
 * that it can have are looked up.
 *
 * Parents are looked up for each row, not joined. Behind a pooler and on a cluster each statement is planned anew, and
 * planning a join of eight tables takes ten times as long as reading the rows.
 *
 * @param at SQL for a time. Parents, values beside the records and currencies of connections are read as they were at
 *   that time. The caller takes the rows themselves from `recordsAt(at)`
 */
export function copyQuery(entityType?: StoredEntityType, at?: string): CopyQuery {
  const records = at === undefined ? 'platform_records' : recordsAt(at);
  const ofParent = (column: 'currency' | 'number', parent: Parent): string =>
    columnOfParent(records, column, parent);
  const connection = at === undefined ? 'c.currency' : currencyThen('c', at);
  const has = (field: ReferenceField): boolean =>
    entityType === undefined || Object.hasOwn(fieldsOf(entityType), field);
  const currencies = [
    ...(has('contract_id') ? [ofParent('currency', 'contract'), currencyOfContractsProject(records)] : []),
    ...(has('project_id') ? [ofParent('currency', 'project')] : []),
    ...(has('invoice_id') ? [currencyOfInvoice(records, connection), currencyOfPayer(records)] : []),
    connection,
  ];
  // The type requires every column of a row, so none can be forgotten in the token.
  const sources: Readonly<Record<keyof CopyRow, Source>> = {
    canonical_id: 'r.canonical_id',
    entity_type: 'r.entity_type',
    platform: 'r.platform',
    platform_id: 'r.platform_id',
    variant: 'r.variant',
    payload: { text: 'r.payload::text', token: payloadToken },
    accepted: { text: 'r.accepted::text', token: 'r.accepted' },
    extra: at === undefined ? { text: 'o.extra::text', token: 'o.extra' } : extraAt(at),
    project_canonical_id: 'r.project_canonical_id',
    customer_canonical_id: 'r.customer_canonical_id',
    contract_canonical_id: 'r.contract_canonical_id',
    invoice_canonical_id: 'r.invoice_canonical_id',
    inherited_currency: `coalesce(${currencies.join(', ')})`,
    local_currency: connection,
    invoice_number: has('invoice_id') ? ofParent('number', 'invoice') : 'null::text',
  };
  const each = Object.entries(sources);
  const columns = each.map(
    ([name, source]) => `${typeof source === 'string' ? source : source.text} as ${name}`,
  );
  const tokens = each.map(([, source]) => (typeof source === 'string' ? source : source.token));
  // Each names the customer, because a cluster does not see the condition inside the relation of the rows.
  const joins = [
    ...(at === undefined ? ['join canonical_objects o on o.customer_id = $1 and o.id = r.canonical_id'] : []),
    'join connections c on c.customer_id = $1 and c.platform = r.platform',
  ];
  return {
    columns: columns.join(', '),
    names: each.map(([name]) => name),
    joins: joins.join(' '),
    token: `record_send(row(${tokens.join(', ')}))`,
  };
}

/** SQL for the value of a column and, if that is cheaper to read, for a value that changes with it. */
type Source = string | { readonly text: string; readonly token: string };

// A reading gives a record a digest, and a write of the service gives it a time. A record without both was read by a
// release that had no digests.
const payloadToken =
  'r.digest, r.written_at, case when r.digest is null and r.written_at is null then r.payload end';

type Parent = 'contract' | 'project' | 'invoice';

// Each names the customer, because a cluster does not derive it from the reference to the outer row.
const columnOfParent = (records: string, column: 'currency' | 'number', parent: Parent): string =>
  `(select p.${column} from ${records} p
    where p.customer_id = $1 and p.canonical_id = r.${parent}_canonical_id and p.platform = r.platform)`;

// Not a join: the records at a time are a union, and a join of two unions reads all records for each row.
const currencyOfContractsProject = (records: string): string => `(select p.currency from ${records} p
    where p.customer_id = $1 and p.platform = r.platform and p.canonical_id = (
      select n.project_canonical_id from ${records} n
      where n.customer_id = $1 and n.canonical_id = r.contract_canonical_id and n.platform = r.platform))`;

// An invoice without a currency has the currency of its connection, and so have its payments.
const currencyOfInvoice = (records: string, connection: string): string =>
  `(select coalesce(p.currency, ${connection}) from ${records} p
    where p.customer_id = $1 and p.canonical_id = r.invoice_canonical_id and p.platform = r.platform)`;

// Other types refer to customers but do not inherit their currency.
const currencyOfPayer = (records: string): string =>
  `case when r.entity_type = 'payment' then (select p.currency from ${records} p
    where p.customer_id = $1 and p.canonical_id = r.customer_canonical_id and p.platform = r.platform) end`;

// A merged object has no row any more; its values belong to the remaining object.
const extraAt = (at: string): string => `coalesce(
    (select e.extra::text from extra_versions e
      where e.customer_id = $1 and e.canonical_id = r.canonical_id and (e.since is null or e.since <= ${at}::timestamptz)
        and e.until > ${at}::timestamptz),
    (select o.extra::text from canonical_objects o
      where o.customer_id = $1 and o.id = r.canonical_id and (o.extra_since is null or o.extra_since <= ${at}::timestamptz)),
    '{}')`;

/** Groups rows by object, in the order of each object's first row. The rows of an object need not be adjacent. */
export function byObject<Row extends CopyRow>(rows: readonly Row[]): readonly (readonly [Row, ...Row[]])[] {
  return [...groupBy(rows, (row) => row.canonical_id).values()];
}

/** The object whose records these rows are. */
export function objectFrom(rows: ObjectRows): LoadedObject {
  return {
    id: rows[0].canonical_id,
    entityType: rows[0].entity_type,
    extra: rows[0].extra === '{}' ? {} : parsed(rows[0].extra),
    copies: inPrecedence(rows.map(copyFrom)),
  };
}

function copyFrom(row: CopyRow): StoredCopy {
  const references: Record<string, string> = {};
  for (const field of referenceFields) {
    const id = row[referenceColumns[field].id];
    if (id !== null) references[fieldKeptIn(row.entity_type, field)] = id;
  }
  const known = once(() => parsed(row.payload));
  const accepted = row.accepted;
  const payload = accepted === null ? known : once(() => parsed(accepted));
  return {
    platform: row.platform,
    platformId: row.platform_id,
    variant: row.variant,
    // Most objects around a changed one are only named, so their records are not parsed until needed.
    get payload() {
      return payload();
    },
    get known() {
      return known();
    },
    payloadText: row.payload,
    accepted,
    inheritedCurrency: row.inherited_currency,
    localCurrency: row.local_currency,
    references,
    ...(row.entity_type === 'payment' && { derived: { invoice_number: row.invoice_number } }),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function parsed(text: string): JsonObject {
  const value = parseJsonText(text);
  if (!isJsonObject(value)) throw new Error('A stored record is no JSON object');
  return value;
}
