import type { Fields, ValueOf } from '../canonical/field';
import type { JsonObject, JsonValue } from '../json/json-value';
import type { Binding } from './binding';
import type { ValueSchema } from '../canonical/schema';

/** One binding for every field of a canonical type; a field the platform lacks is `absent`. */
export type MappingTable<F extends Fields> = { readonly [Name in keyof F]: Binding<ValueOf<F[Name]>> };

/** Where a record has its native ID, and how it is read and written. */
export interface RecordId {
  readonly path: string;
  readonly schema: ValueSchema;
  readonly decode: (wire: JsonValue) => string | null;
  readonly encode: (id: string) => JsonValue;
}

/** A canonical field for which a platform has no native one, because it follows from other canonical fields. */
export interface DerivedField {
  readonly from: readonly string[];
  /** Undefined where it does not follow from a record's data. */
  readonly value: (data: JsonObject) => JsonValue | undefined;
}

/** A figure that some records have whatever the value of the field is that others have it from. */
export interface ConditionalFigure {
  readonly path: string;
  readonly unless: (record: JsonObject) => boolean;
}

/** What a mapping needs beside the resource's description and the table: the meaning of values. */
export interface ResourceOptions {
  readonly id: RecordId;
  /** Native field of the record's currency, where it has one. */
  readonly currency?: string;
  /** What a blank currency means: the company's local currency, or whatever the record inherits. */
  readonly blankCurrency?: 'local' | 'inherited';
  /** The currency of a record without the currency field, if it is not what a blank currency means. */
  readonly absentCurrency?: 'inherited';
  /** Canonical fields that follow from others. They are never written. */
  readonly derived?: Readonly<Record<string, DerivedField>>;
  /**
   * By canonical field: native paths of figures that the platform computes from it, or that it is computed from, such as the
   * lines of an amount. They do not outlive its value. All amounts that the table has end with the currency anyway.
   */
  readonly computed?: Readonly<Record<string, readonly (string | ConditionalFigure)[]>>;
  /** By reference field: native paths of what the platform shows of the record referred to. They go when it is another one. */
  readonly shownOf?: Readonly<Record<string, readonly string[]>>;
  /** Fields that say one thing together: the original values in a residue count for all fields of such a group, or for none. */
  readonly together?: readonly (readonly string[])[];
  /**
   * By canonical field that the platform lacks: words of records that must not be written here, and why. Without the field
   * they would look like any other record of the platform.
   */
  readonly refused?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** A record as the platform can hold it, where its own arithmetic would give another amount. */
  readonly toWrite?: (data: JsonObject) => JsonObject;
}
