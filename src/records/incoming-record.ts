import {
  businessKeyOf,
  isStorableText,
  mappingOf,
  normaliseKey,
  stringifyJson,
  type Decoded,
  type NativeReference,
  type PlatformName,
} from '@app/mapper';
import type { SourceRecord } from '../connectors/connector';

/** The canonical references by which stored records hang together, and the column pairs they are kept in. */
export const referenceColumns = {
  project_id: { ref: 'project_ref', id: 'project_canonical_id', entityType: 'project' },
  customer_id: { ref: 'customer_ref', id: 'customer_canonical_id', entityType: 'customer' },
  contract_id: { ref: 'contract_ref', id: 'contract_canonical_id', entityType: 'contract' },
  invoice_id: { ref: 'invoice_ref', id: 'invoice_canonical_id', entityType: 'invoice' },
} as const;

export type ReferenceField = keyof typeof referenceColumns;

/** The canonical reference fields, in the order of their columns. */
export const referenceFields = Object.keys(referenceColumns) as readonly ReferenceField[];

/** What is stored of a record beside its canonical ID: the payload, and what it is found and matched by. */
export interface IncomingRecord {
  readonly entity_type: string;
  readonly platform_id: string;
  readonly native_order: string;
  readonly variant: string | null;
  readonly currency: string | null;
  readonly business_key: string | null;
  readonly number: string | null;
  readonly project_ref: string | null;
  readonly customer_ref: string | null;
  readonly contract_ref: string | null;
  readonly invoice_ref: string | null;
  /** JSON text. */
  readonly payload: string;
  /** When the platform last changed it, for choosing among two copies of one record. */
  readonly modified_at: string | null;
}

/** A record ready to be stored, or why it cannot be; and how many of its fields stay out of the canonical object. */
export interface ReadRecord {
  readonly record: IncomingRecord | undefined;
  readonly unreadableFields: number;
}

// What does not fit an index entry cannot be looked up; no platform's IDs are nearly as long.
const LONGEST_ID = 200;

/** Reads out of a platform's record what it will be stored and matched by. Pure. */
export function readIncoming(platform: PlatformName, currency: string, source: SourceRecord): ReadRecord {
  const { entityType, variant, payload } = source;
  const mapping = mappingOf(platform, entityType, { variant });
  const decoded = mapping.decode(payload, { inheritedCurrency: currency, localCurrency: currency });
  const { nativeId } = decoded;
  if (nativeId === undefined || nativeId.length > LONGEST_ID || !isStorableText(nativeId)) {
    return { record: undefined, unreadableFields: decoded.issues.length };
  }
  return {
    record: {
      entity_type: entityType,
      platform_id: nativeId,
      ...columnsOf(entityType, decoded),
      native_order: nativeOrder(nativeId),
      variant,
      payload: stringifyJson(payload),
      modified_at: typeof decoded.data.updated_at === 'string' ? decoded.data.updated_at : null,
    },
    unreadableFields: decoded.issues.length,
  };
}

/** The columns that follow from a record's own content. */
export function columnsOf(
  entityType: SourceRecord['entityType'],
  decoded: Decoded,
): Pick<
  IncomingRecord,
  'currency' | 'business_key' | 'number' | 'project_ref' | 'customer_ref' | 'contract_ref' | 'invoice_ref'
> {
  const key = businessKeyOf(entityType, decoded.data);
  return {
    currency: decoded.namesCurrency ? (decoded.currency ?? null) : null,
    business_key: key?.normal ?? null,
    number: key?.text ?? null,
    project_ref: refOf(decoded, 'project_id'),
    customer_ref: refOf(decoded, 'customer_id'),
    contract_ref: refOf(decoded, 'contract_id'),
    invoice_ref: refOf(decoded, 'invoice_id'),
  };
}

/** A native ID in a form whose byte order is the order of listings: numbers as numbers, before everything else. */
export function nativeOrder(platformId: string): string {
  return /^\d{1,40}$/.test(platformId) ? `0${platformId.padStart(40, '0')}` : `1${platformId}`;
}

function refOf({ references }: Decoded, field: ReferenceField): string | null {
  const [first] = references[field] ?? [];
  return first === undefined ? null : refText(first);
}

/** How a reference is kept: `id:` and the native ID, or `key:` and the normalised business key. */
export function refText({ by, value }: Pick<NativeReference, 'by' | 'value'>): string | null {
  if (by === 'id') return isStorableText(value) ? `id:${value}` : null;
  const key = normaliseKey(value);
  return key === undefined ? null : `key:${key}`;
}
