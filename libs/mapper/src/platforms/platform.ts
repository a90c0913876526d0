import type { EntityType } from '../canonical/entity-type';
import type { JsonPath } from '../json/json-path';
import type { Mapping } from '../mapping/mapping';
import type { NativeField } from '../resource/native-field';

/** The resources that one canonical type has on a platform, and how to choose among several. */
export interface Variants {
  /** By the name that clients and the platform itself use, such as `WorkOrderContract`. */
  readonly variants: Readonly<Record<string, Mapping>>;
  /** Canonical field, and which of its words means which variant. */
  readonly chosenBy: { readonly field: string; readonly values: Readonly<Record<string, string>> };
  /** Sentences of the API's description of `commitmentType`, in which a caller names a variant. */
  readonly meaning: string;
  /** What a new record becomes when nothing says otherwise. */
  readonly standard: string;
}

/** Where records have the own fields of customers, as far as the resources do not describe them. */
export interface OwnFieldPlaces {
  /** The path that a customer's path means in a record. */
  readonly pathOf: (path: JsonPath) => JsonPath;
  /** How a client writes a value there, as the description of a native field says it. */
  readonly placesOf: (
    path: JsonPath,
    entityType: EntityType,
  ) => Pick<NativeField, 'creating' | 'changing' | 'why'>;
}

/** A platform: what its records have in common, and one mapping for each type. */
export interface Platform {
  /**
   * How the platform writes "nothing": as `null`, or as a default value of each type, such as an empty string. A
   * platform of the second kind never shows `null`.
   */
  readonly blank: 'null' | 'default';
  /** A native ID, as a caller spells it, in the spelling of records that were read. Absent where there is only one. */
  readonly spelledId?: (id: string) => string;
  /** Absent where a record is written at the paths at which it is read. */
  readonly ownFields?: OwnFieldPlaces;
  readonly mappings: Readonly<Record<EntityType, Mapping | Variants>>;
}
