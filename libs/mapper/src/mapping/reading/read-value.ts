import type { ValuesAtPaths } from '../../json/path-tree';
import type { JsonValue } from '../../json/json-value';
import { naming, type ValueContext } from '../codec';
import type { ValueStep } from '../step';

/** Native values at the paths of a step; undefined where the payload has none. */
export type Natives = readonly (JsonValue | undefined)[];

/** The native values of a step, of those at all paths of its mapping. */
function nativesOf({ places }: ValueStep, natives: ValuesAtPaths): Natives {
  return places.map((place) => natives[place]);
}

/**
 * The canonical value of a step; undefined when the payload does not have the field.
 *
 * @throws Unfit when the native values do not fit
 */
export function readValue(
  step: ValueStep,
  natives: ValuesAtPaths,
  context: ValueContext,
): JsonValue | undefined {
  const { single, binding, condition } = step;
  if (single === undefined) return binding.decode(nativesOf(step, natives), context);
  const native = natives[single.place];
  if (native === undefined) return undefined;
  const said = condition && natives[condition.place];
  if (condition && said !== undefined) naming(condition.name, () => condition.check(said));
  return single.codec.decode(native, context);
}

/** The first native path of a step that has a value. A problem is reported there if the codec names no path. */
export function culpritOf({ places, names }: ValueStep, natives: ValuesAtPaths): string {
  return names[places.findIndex((place) => natives[place] !== undefined)] ?? '';
}
