import type { EntityType } from '../canonical/entity-type';
import type { JsonPath } from '../json/json-path';
import type { JsonObject } from '../json/json-value';
import type { PathTree } from '../json/path-tree';
import type { NativeResource } from '../resource/native-resource';
import type { ResourceOptions } from './resource';
import type { ReferenceStep, Step } from './step';

/** A native path whose value does not outlive that of a canonical field, with the fields that have their value there. */
export interface DependentPath {
  readonly path: JsonPath;
  readonly steps: readonly Step[];
  /** Whether the value depends on the field in a record. */
  readonly isIn: (record: JsonObject) => boolean;
}

/** A mapping's table in the form that translating needs. It is made once, when the platform's folder is loaded. */
export interface CompiledMapping {
  readonly entityType: EntityType;
  readonly resource: NativeResource;
  readonly options: ResourceOptions;
  /** Canonical fields that must be known before the platform can create such a record. */
  readonly requiredToCreate: readonly string[];
  readonly steps: readonly Step[];
  readonly stepByField: ReadonlyMap<string, Step>;
  /** The steps of references. */
  readonly references: readonly ReferenceStep[];
  /** Paths of the figures and lines that do not outlive the value of a canonical field, by that field. */
  readonly dependent: ReadonlyMap<string, readonly DependentPath[]>;
  /** Paths of what the platform shows of the record referred to, by the field of the reference. */
  readonly shownOf: ReadonlyMap<string, readonly JsonPath[]>;
  /** All native paths that are read. */
  readonly native: PathTree;
  /** The canonical fields, each a path of one member. */
  readonly canonical: PathTree;
  readonly idPath: JsonPath;
  /** Index of `idPath` among the native paths. */
  readonly idPlace: number;
  readonly currencyPath: JsonPath | undefined;
  readonly currencyPlace: number | undefined;
  /** Canonical fields that have a value at `currencyPath`: writing one of them writes the record's currency. */
  readonly currencyFields: readonly string[];
}
