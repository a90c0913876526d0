import type { ObjectRows } from '../records/copy-rows';
import type { ListingPosition } from '../records/listing-page';
import type { CanonicalText } from './shown-object';

/** Bytes that remembered objects and pages take at most together, in one process. */
export const CACHE_BYTES = 64 * 1024 * 1024;

/** What was made of an object's rows. */
export interface CachedObject {
  readonly kind: 'object';
  readonly rows: ObjectRows;
  /** Text of the terms under which it was made. */
  readonly terms: string | null;
  readonly made: CanonicalText;
}

/** A page of a listing, as it goes out. */
export interface CachedPage {
  readonly kind: 'page';
  /** Of all that the page follows from. */
  readonly fingerprint: string;
  /** Bytes of the listing's JSON array, with its brackets and commas. */
  readonly pieces: readonly Buffer[];
  /** How many records the page has. */
  readonly records: number;
  /** Where the listing goes on; undefined behind its last page. */
  readonly next: ListingPosition | undefined;
}

/** What is remembered of a customer. One memory holds both, so that together they keep within its bounds. */
export type CachedListing = CachedObject | CachedPage;
