import type { JsonPath } from '../json/json-path';
import type { JsonValue } from '../json/json-value';

/** A native field to write. */
export interface NativeChange {
  readonly path: JsonPath;
  readonly value: JsonValue;
}
