import type { ObjectRows } from '../../records/objects/copy-rows';
import type { ListingPosition } from './listing-page.repository';
import type { CanonicalText } from '../shown-object';

/** Maximum bytes of cached objects and pages together, in one process. */
export const CACHE_BYTES = 64 * 1024 * 1024;

/** The text that was made from an object's rows. */
export interface CachedObject {
  readonly kind: 'object';
  readonly rows: ObjectRows;
  /** Text of the terms that were used. */
  readonly terms: string | null;
  readonly made: CanonicalText;
}

/** A page of a listing, as it is sent. */
export interface CachedPage {
  readonly kind: 'page';
  /** Digest of all inputs of the page. */
  readonly fingerprint: string;
  /** Bytes of the listing's JSON array, with its brackets and commas. */
  readonly pieces: readonly Buffer[];
  /** Number of records of the page. */
  readonly records: number;
  /** Where the listing continues; undefined after its last page. */
  readonly next: ListingPosition | undefined;
}

/** A cache entry of a customer. One cache holds both kinds, so that one limit applies to them together. */
export type CachedListing = CachedObject | CachedPage;
