import type { CopyRow, ObjectRows } from '../../records/objects/copy-rows';
import type { Agreed } from '../../records/terms/terms-text';
import type { FairCache } from './fair-cache';
import type { CachedListing } from './cached-listing';
import type { CanonicalText } from '../shown-object';

/**
 * Caches canonical objects as JSON text with their version. A text depends on the object's rows and the customer's
 * terms, and both are compared completely, so a cached text cannot be out of date.
 */
export class CanonicalTexts {
  /** @param make makes the text of rows that are not cached. Pure. */
  constructor(
    private readonly make: (rows: ObjectRows, terms: Agreed['terms']) => CanonicalText,
    private readonly cache: FairCache<CachedListing>,
  ) {}

  /** The cached text for an object's rows; undefined if there is none. */
  known(customerId: string, rows: ObjectRows, { text }: Agreed): CanonicalText | undefined {
    const found = this.cache.get(customerId, rows[0].canonical_id);
    return found?.kind === 'object' && found.terms === text && sameRows(found.rows, rows)
      ? found.made
      : undefined;
  }

  /** Makes the text for an object's rows. @param keep whether to cache it */
  made(customerId: string, rows: ObjectRows, agreed: Agreed, keep: boolean): CanonicalText {
    const made = this.make(rows, agreed.terms);
    if (keep) {
      this.cache.set(
        customerId,
        rows[0].canonical_id,
        { kind: 'object', rows, terms: agreed.text, made },
        sizeOf(rows) + textSize(agreed.text) + textSize(made.text) + textSize(made.version),
      );
    }
    return made;
  }
}

function sameRows(ones: ObjectRows, others: ObjectRows): boolean {
  if (ones.length !== others.length) return false;
  for (let place = 0; place < ones.length; place += 1) {
    const one = ones[place];
    const other = others[place];
    if (one === undefined || other === undefined || !sameRow(one, other)) return false;
  }
  return true;
}

// All inputs of the object. The type requires each column of a row, so a new column cannot be forgotten.
const compared: Readonly<Record<keyof CopyRow, true>> = {
  canonical_id: true,
  entity_type: true,
  platform: true,
  platform_id: true,
  variant: true,
  extra: true,
  inherited_currency: true,
  local_currency: true,
  invoice_number: true,
  project_canonical_id: true,
  customer_canonical_id: true,
  contract_canonical_id: true,
  invoice_canonical_id: true,
  accepted: true,
  payload: true,
};
const columns = Object.keys(compared) as readonly (keyof CopyRow)[]; // The type of Object.keys loses the names.

function sameRow(one: CopyRow, other: CopyRow): boolean {
  for (const column of columns) if (one[column] !== other[column]) return false;
  return true;
}

/** Memory of an entry beside its texts: rows, keys, links. */
const ENTRY_BYTES = 1_000;

function sizeOf(rows: ObjectRows): number {
  let bytes = ENTRY_BYTES;
  for (const row of rows) for (const column of columns) bytes += textSize(row[column]);
  return bytes;
}

// One character beyond Latin-1 makes the whole text use two bytes a character.
function textSize(text: string | null): number {
  return text === null ? 0 : 2 * text.length;
}
