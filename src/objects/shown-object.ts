import { assembleObject, stringifyJson, type Disagreement, type ValueTerms } from '@app/mapper';
import { objectFrom, type ObjectRows } from '../records/objects/copy-rows';
import type { LoadedObject } from '../records/loaded-object';
import { versionOf } from '../records/objects/object-version';

/** A canonical object as JSON text, with its version. */
export interface CanonicalText {
  readonly text: string;
  readonly version: string;
}

/** A canonical object in its public form. */
export interface ShownObject extends CanonicalText {
  readonly loaded: LoadedObject;
  readonly disagreements: readonly Disagreement[];
}

/**
 * The canonical object of some rows with the customer's terms. Pure.
 *
 * @param isThere false if the object has no record any more and the rows are its last ones
 */
export function shownObject(rows: ObjectRows, terms: ValueTerms, isThere = true): ShownObject {
  const loaded = objectFrom(rows);
  const { object, disagreements } = assembleObject(loaded, terms);
  const text = stringifyJson(object);
  const records = isThere ? rows : [];
  return {
    loaded,
    text,
    disagreements,
    version: versionOf({ text, records, disagreements, isDeleted: !isThere }),
  };
}
