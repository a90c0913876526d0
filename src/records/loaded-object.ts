import type { JsonObject, PlatformCopy, StoredEntityType, StoredObject } from '@app/mapper';

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
