import type { Conversion, JsonObject, NativeChange, PlatformName } from '@app/mapper';
import type { LeftField } from '../../outbox/command/left-field';
import type { StoredCopy } from '../../records/stored-objects';
import type { ExpectedRecord } from './expected-record';

/** A conversion, and the canonical field whose amount it converted. */
export interface FieldConversion extends Conversion {
  readonly field: string;
}

/** A write to one platform, and what it is expected to make of the record. */
export interface PlannedWrite {
  readonly variant: string | null;
  /** Null for a record to be created. */
  readonly platformId: string | null;
  /** The record that the write was planned for; undefined for one to be created. */
  readonly base: JsonObject | undefined;
  /** Native fields to set; every other field stays. */
  readonly changes: readonly NativeChange[];
  /** Records on the same platform that this one refers to, by canonical field. */
  readonly referred: Readonly<Record<string, JsonObject>>;
  readonly conversions: readonly FieldConversion[];
  /** Canonical IDs of what the written fields refer to; null for nothing. */
  readonly references: Readonly<Record<string, string | null>>;
  /** Fields that refer to what is still to be created there. Nothing is sent before that is there. */
  readonly awaits: Readonly<Record<string, ExpectedRecord>>;
  /** Currencies of amounts that name none. */
  readonly currencies: Pick<StoredCopy, 'inheritedCurrency' | 'localCurrency'>;
}

/** What is to happen on one platform, without what the platform makes of it. */
export type PlatformIntention =
  | { readonly kind: 'write'; readonly write: PlannedWrite; readonly left: readonly LeftField[] }
  | { readonly kind: 'unchanged'; readonly left: readonly LeftField[] }
  | { readonly kind: 'skipped'; readonly reason: string };

/** What is to happen on one platform. A rejection that is certain beforehand is not sent. */
export type PlatformStep = { readonly platform: PlatformName } & (
  | {
      readonly kind: 'write';
      readonly write: PlannedWrite;
      readonly predicted: JsonObject;
      /** The changes that go out: not those that the record shows already. */
      readonly sends: readonly NativeChange[];
      /** Fields that the change names and that the record will not show. */
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
