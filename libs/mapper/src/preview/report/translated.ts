import type { JsonObject } from '../../json/json-value';
import type { PayloadReading } from '../../mapping/reading/decode';
import type { Residue } from '../../mapping/reading/residue';
import type { Mapping } from '../../mapping/mapping';
import type { PlatformName } from '../../platforms';
import type { ConvertedAmounts } from '../converted-amounts';
import type { ResolvedReferences } from '../references';

/** A preview with all that it was made from. */
export interface Translated {
  readonly source: PlatformName;
  readonly target: PlatformName;
  readonly payload: JsonObject;
  readonly written: JsonObject;
  readonly decoded: PayloadReading;
  readonly sourceMapping: Mapping;
  readonly targetMapping: Mapping;
  readonly references: ResolvedReferences;
  readonly converted: ConvertedAmounts | undefined;
  /** The values that the target returns of the record that it was written. */
  readonly givenBack: JsonObject;
  /** What the record that was written to the target names there, by the field of the reference. */
  readonly shown: PayloadReading['references'];
  /** The fields of which the target's own values count again. */
  readonly returned: ReadonlySet<string>;
  /** What the target's record holds beyond the data, from an earlier answer. */
  readonly residue: Residue | undefined;
  /** The native ID on the target, where it is known. */
  readonly id: string | undefined;
}
