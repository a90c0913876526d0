import type { Conversion, JsonObject, NativeChange, PlatformName } from '@app/mapper';
import type { LeftField } from '../../../outbox/command/left-field';
import type { StoredCopy } from '../../../records/loaded-object';
import type { ExpectedRecord } from '../state/expected-record';

/** A conversion, and the canonical field whose amount it converted. */
export interface FieldConversion extends Conversion {
  readonly field: string;
}

/** A write to one platform, and the expected record after it. */
export interface PlannedWrite {
  readonly variant: string | null;
  /** Null for a record that is to be created. */
  readonly platformId: string | null;
  /** The record for which the write was planned; undefined for a record that is to be created. */
  readonly base: JsonObject | undefined;
  /** Native fields to set; every other field stays. */
  readonly changes: readonly NativeChange[];
  /** Records on the same platform that this one refers to, by canonical field. */
  readonly referred: Readonly<Record<string, JsonObject>>;
  readonly conversions: readonly FieldConversion[];
  /** Canonical IDs of the written references; null for no reference. */
  readonly references: Readonly<Record<string, string | null>>;
  /** Fields that refer to records that are still to be created there. The write is not sent before these exist. */
  readonly awaits: Readonly<Record<string, ExpectedRecord>>;
  /** Currencies of amounts without a currency. */
  readonly currencies: Pick<StoredCopy, 'inheritedCurrency' | 'localCurrency'>;
}

/** The planned action on one platform, without the predicted record. */
export type PlatformIntention =
  | { readonly kind: 'write'; readonly write: PlannedWrite; readonly left: readonly LeftField[] }
  | { readonly kind: 'unchanged'; readonly left: readonly LeftField[] }
  | { readonly kind: 'skipped'; readonly reason: string };

/** The planned action on one platform. A rejection that is certain beforehand is not sent. */
export type PlatformStep = { readonly platform: PlatformName } & (
  | {
      readonly kind: 'write';
      readonly write: PlannedWrite;
      readonly predicted: JsonObject;
      /** The changes to send, without those that the record already has. */
      readonly sends: readonly NativeChange[];
      /** Fields that the change names and that the record will not adopt. */
      readonly left: readonly LeftField[];
    }
  | { readonly kind: 'unchanged'; readonly left: readonly LeftField[] }
  | { readonly kind: 'skipped'; readonly reason: string }
  | {
      readonly kind: 'rejected';
      readonly reason: string;
      /** Whether the platform has locked the record, or the field. */
      readonly isLock: boolean;
    }
);
