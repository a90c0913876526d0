import type { JsonObject, PlatformName, StoredEntityType } from '@app/mapper';
import type { Customer } from '../auth/customer';

/** A record as a platform has it. */
export interface SourceRecord {
  readonly entityType: StoredEntityType;
  /** Which of the platform's resources holds it, where a type has several. */
  readonly variant: string | null;
  readonly payload: JsonObject;
}

/** Where one platform's records of one customer come from. */
export interface PlatformSource {
  /** ISO 4217 code of what an amount is in when neither its record nor what that belongs to says it. */
  readonly currency: string;
  /**
   * Whether the stored copy of a record is the record itself, as in a sandbox: then the source only brings records
   * that are not stored yet. Otherwise what the source brings replaces what is stored.
   */
  readonly storedCopyRules: boolean;
  /** All records, in any order; one may come twice. Read once, in pieces, so that none of it has to be held. */
  records(): AsyncIterable<SourceRecord>;
}

/** Finds the source of a customer's records on a platform. */
export abstract class PlatformSources {
  /** @param headers to send along with every call to the platform: where the request stands in a trace (W3C) */
  abstract sourceFor(
    customer: Customer,
    platform: PlatformName,
    headers: Readonly<Record<string, string>>,
  ): PlatformSource;
}
