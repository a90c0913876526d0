import type { JsonObject, NativeChange, StoredEntityType } from '@app/mapper';

/** A write to one record, in the platform's own terms. */
export interface SimulatedWrite {
  readonly entityType: StoredEntityType;
  /** Which of the platform's resources holds the record, where a type has several. */
  readonly variant: string | null;
  /** The present record; undefined if the write creates it. */
  readonly current: JsonObject | undefined;
  /** Native fields to set; every other field stays. */
  readonly changes: readonly NativeChange[];
  /** Records of the same platform that this one refers to, by canonical field: the platform shows their names. */
  readonly referred: Readonly<Partial<Record<string, JsonObject>>>;
}

/** A record of a platform's sample portfolio. */
export interface PortfolioRecord {
  readonly entityType: StoredEntityType;
  readonly variant: string | null;
  readonly payload: JsonObject;
}

/** How one platform behaves, as pure functions of their arguments and the {@link Occasion}. */
export interface PlatformBehaviour {
  /** ISO 4217: the currency of an amount that names none. On the ERP it is the company's local currency. */
  readonly currency: string;
  /** The sample records that a new sandbox has. */
  portfolio(): readonly PortfolioRecord[];
  /**
   * The platform's reason why the record is locked against a write; undefined if it is not locked. Absent for a
   * platform whose sandbox locks nothing.
   */
  lockOn?(write: SimulatedWrite): string | undefined;
  /** The record after a write. */
  write(write: SimulatedWrite, occasion: Occasion): JsonObject;
}

/** What a write takes from outside: the time, and values that no record has yet. */
export interface Occasion {
  readonly now: Date;
  /** A number from `least` to below `limit`. */
  integer(least: number, limit: number): number;
  /** A new key, in lower case. */
  guid(): string;
}
