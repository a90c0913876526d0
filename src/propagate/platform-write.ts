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
