import type { JsonObject, NativeChange, PlatformName, StoredEntityType } from '@app/mapper';

/** A write to one platform's record, in the platform's own terms. */
export interface PlatformWrite {
  readonly platform: PlatformName;
  readonly entityType: StoredEntityType;
  readonly variant: string | null;
  /** The record as it stands there; undefined for one to be created. */
  readonly current: JsonObject | undefined;
  /** Native fields to set; everything else stays. */
  readonly changes: readonly NativeChange[];
  /** Records on the same platform that this one refers to, by canonical field; for names the platform shows beside an ID. */
  readonly referred: Readonly<Partial<Record<string, JsonObject>>>;
}

/** What the platform made of a write. */
export type WriteOutcome =
  | { readonly status: 'applied'; readonly payload: JsonObject }
  | { readonly status: 'rejected'; readonly reason: string };

/** Writes to platforms. */
export abstract class PlatformWriter {
  /**
   * Writes a record and gives it back as it stands on the platform then.
   *
   * @param headers to send along with the call: where the request stands in a trace (W3C)
   */
  abstract write(write: PlatformWrite, headers: Readonly<Record<string, string>>): WriteOutcome;
}
