import type { EntityType } from '../canonical/entity-type';
import type { JsonPath } from '../json/json-path';
import type { PathTree } from '../json/path-tree';
import type { NativeResource } from '../resource/native-resource';
import type { ResourceOptions } from './resource';
import type { ReferenceStep, Step } from './step';

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
  /** Paths of the figures that the platform computes, by the canonical field that they follow from. */
  readonly computed: ReadonlyMap<string, readonly JsonPath[]>;
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
