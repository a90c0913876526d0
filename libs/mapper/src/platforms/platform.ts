import type { EntityType } from '../canonical/entity-type';
import type { Mapping } from '../mapping/mapping';

/** The resources that one canonical type has on a platform, and how to choose among several. */
export interface Variants {
  /** By the name that clients and the platform itself use, such as `WorkOrderContract`. */
  readonly variants: Readonly<Record<string, Mapping>>;
  /** Canonical field, and which of its words means which variant. */
  readonly chosenBy: { readonly field: string; readonly words: Readonly<Record<string, string>> };
  /** Sentences of the API's description of `commitmentType`, in which a caller names a variant. */
  readonly meaning: string;
  /** What a new record becomes when nothing says otherwise. */
  readonly standard: string;
}

/** A platform: what its records have in common, and one mapping for each type. */
export interface Platform {
  /**
   * How the platform writes "nothing": as `null`, or as a default value of each type, such as an empty string. A
   * platform of the second kind never shows `null`.
   */
  readonly blank: 'null' | 'default';
  readonly mappings: Readonly<Record<EntityType, Mapping | Variants>>;
}
