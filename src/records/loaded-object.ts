import type { JsonObject, PlatformCopy, StoredEntityType, StoredObject } from '@app/mapper';

/**
 * A record of an object. Canonical data is read from its `payload`. That is the record as the platform is known to hold
 * it or, while an accepted write is undecided, the record as that write will leave it.
 */
export interface StoredCopy extends PlatformCopy {
  /** The record as the platform is known to hold it. */
  readonly known: JsonObject;
  /** The JSON text of `known`, as it is stored. */
  readonly payloadText: string;
  /** JSON text of the record after the open writes; null without an open write. */
  readonly accepted: string | null;
}

/** An object with all its records. */
export interface LoadedObject extends StoredObject {
  readonly entityType: StoredEntityType;
  readonly copies: readonly StoredCopy[];
}
