import type { EntityType } from '../canonical/entity-type';
import type { JsonPath } from '../json/json-path';
import type { ResourceOptions } from './resource';
import type { Step } from './step';

/** A mapping's table in the form that translating needs. It is made once, when the platform's folder is loaded. */
export interface CompiledMapping {
  readonly entityType: EntityType;
  readonly resource: string;
  readonly options: ResourceOptions;
  readonly steps: readonly Step[];
  readonly stepByField: ReadonlyMap<string, Step>;
  readonly idPath: JsonPath;
  readonly currencyPath: JsonPath | undefined;
  /** Canonical fields that have a value at `currencyPath`: writing one of them writes the record's currency. */
  readonly currencyFields: readonly string[];
}
