import {
  businessKeyOf,
  isStorableText,
  mappingOf,
  normaliseKey,
  stringifyJson,
  UNKNOWN_CURRENCY,
  valueAt,
  type Mapping,
  type NativeReference,
  type PlatformName,
  type PayloadReading,
} from '@app/mapper';
import type { SourceRecord } from '../../platforms/connector';
import { digestOf } from './record-digest';
import { searchedColumns } from './searched-columns';
import {
  contentColumns,
  fieldKeptIn,
  type ColumnName,
  type recordColumns,
  type ReferenceField,
} from './record-columns';

export { fieldKeptIn, referenceColumns, referenceFields, type ReferenceField } from './record-columns';

/** The columns that are derived from a record: its own key, and those that follow from its content. */
export type IncomingColumn = 'entity_type' | 'platform_id' | ColumnName<'content' | 'reference'>;

/** The names of these columns, in the order in which rows are inserted. */
export const incomingColumns: readonly IncomingColumn[] = ['entity_type', 'platform_id', ...contentColumns];

/** A record's stored values, except its placement by reconciliation. The payload is JSON text. */
export type IncomingRecord = {
  readonly [Column in IncomingColumn]: Column extends NullableColumn ? string | null : string;
};

type NullableColumn = Extract<(typeof recordColumns)[number], { readonly nullable: true }>['name'];

/** A record, ready to be stored. */
export interface ReadRecord {
  /** Undefined for a record without an ID that can be stored. */
  readonly record: IncomingRecord | undefined;
  /** The number of invalid fields, which the canonical object leaves out. */
  readonly unreadableFields: number;
}

// A longer text does not fit into an index entry. No platform has IDs of nearly this length.
const LONGEST_ID = 200;

/** A record as it was read, with the values that distinguish its versions. */
export interface Seen {
  /** The payload as JSON text. */
  readonly text: string;
  readonly digest: string;
}

/** The values that distinguish the versions of a platform's record. Pure. */
export function seeRecord(currency: string, { variant, payload }: SourceRecord): Seen {
  const text = stringifyJson(payload);
  return { text, digest: digestOf(currency, variant, text) };
}

/** The native ID of a record, without decoding the record; undefined for a record that cannot be stored. Pure. */
export function storableId(platform: PlatformName, source: SourceRecord): string | undefined {
  const { entityType, variant, payload } = source;
  const { id } = mappingOf(platform, entityType, { variant }).options;
  const wire = valueAt(payload, id.path.split('.'));
  if (wire === undefined) return undefined;
  try {
    const nativeId = id.decode(wire);
    return nativeId !== null && isStorableId(nativeId) ? nativeId : undefined;
  } catch {
    // The codec refuses the value. Decoding the record gives the reason.
    return undefined;
  }
}

/** Derives the columns by which a platform's record is stored and matched. Pure. */
export function readIncoming(
  platform: PlatformName,
  currency: string,
  source: SourceRecord,
  { text, digest }: Seen = seeRecord(currency, source),
): ReadRecord {
  const { entityType, variant, payload } = source;
  const mapping = mappingOf(platform, entityType, { variant });
  const decoded = mapping.read(payload, { inheritedCurrency: currency, localCurrency: currency });
  const { nativeId } = decoded;
  if (nativeId === undefined || !isStorableId(nativeId)) {
    return { record: undefined, unreadableFields: decoded.issues.length };
  }
  const columns = columnsOf(entityType, decoded);
  return {
    record: {
      entity_type: entityType,
      platform_id: nativeId,
      ...columns,
      amount_order: columns.amount_order ?? finerAmountOrder(mapping, source, currency, decoded),
      native_order: nativeOrder(nativeId),
      variant,
      payload: text,
      modified_at: typeof decoded.data.updated_at === 'string' ? decoded.data.updated_at : null,
      digest,
    },
    unreadableFields: decoded.issues.length,
  };
}

/** A currency with as many decimals as any. */
const MOST_DECIMALS = 'CLF';

/**
 * The order of an amount that has more decimals than the connection's currency allows. The record may inherit a currency
 * with more decimals from a contract or project, which is not known yet.
 */
function finerAmountOrder(
  mapping: Mapping,
  { entityType, payload }: SourceRecord,
  localCurrency: string,
  { namesCurrency, issues }: PayloadReading,
): string | null {
  if (namesCurrency || issues.length === 0) return null;
  const { data } = mapping.read(payload, { inheritedCurrency: MOST_DECIMALS, localCurrency });
  return searchedColumns(entityType, data).amount_order;
}

function isStorableId(nativeId: string): boolean {
  return nativeId.length <= LONGEST_ID && isStorableText(nativeId);
}

/** The columns that follow from a record's own content. */
export function columnsOf(
  entityType: SourceRecord['entityType'],
  decoded: PayloadReading,
): Pick<
  IncomingRecord,
  | 'currency'
  | 'business_key'
  | 'number'
  | 'status'
  | 'document_date'
  | 'amount_order'
  | 'search_words'
  | 'project_ref'
  | 'customer_ref'
  | 'contract_ref'
  | 'invoice_ref'
> {
  const key = businessKeyOf(entityType, decoded.data);
  const refOf = (columns: ReferenceField): string | null => {
    const [first] = decoded.references[fieldKeptIn(entityType, columns)] ?? [];
    return first === undefined ? null : refText(first);
  };
  return {
    currency: decoded.namesCurrency ? (decoded.currency ?? UNKNOWN_CURRENCY) : null,
    business_key: key?.normal ?? null,
    number: key?.text ?? null,
    ...searchedColumns(entityType, decoded.data),
    project_ref: refOf('project_id'),
    customer_ref: refOf('customer_id'),
    contract_ref: refOf('contract_id'),
    invoice_ref: refOf('invoice_id'),
  };
}

/** A native ID in a form whose byte order is the order of listings: numbers as numbers, before everything else. */
export function nativeOrder(platformId: string): string {
  return /^\d{1,40}$/.test(platformId) ? `0${platformId.padStart(40, '0')}` : `1${platformId}`;
}

/** How a reference is kept: `id:` and the native ID, or `key:` and the normalised business key. */
export function refText({ by, value }: Pick<NativeReference, 'by' | 'value'>): string | null {
  if (by === 'id') return isStorableText(value) ? `id:${value}` : null;
  const key = normaliseKey(value);
  return key === undefined ? null : `key:${key}`;
}
