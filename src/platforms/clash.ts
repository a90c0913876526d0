import type { JsonPath, JsonValue } from '@app/mapper';
import { shownValue } from './shown-value';

/** A field that another user changed to a value other than the wanted one. */
export interface Clash {
  readonly path: JsonPath;
  readonly theirs: JsonValue | undefined;
  readonly mine: JsonValue;
}

/** Clashes that a reason names one by one. */
const MOST_NAMED = 20;

/** Characters of a value in a reason. */
const LONGEST_VALUE = 200;

/** Why fields were not written, with both values. */
export function clashWords(clashes: readonly Clash[]): string {
  const named = clashes
    .slice(0, MOST_NAMED)
    .map(
      ({ path, theirs, mine }) =>
        `${path.join('.')} was changed to ${shownValue(theirs, LONGEST_VALUE)} meanwhile, not to ${shownValue(mine, LONGEST_VALUE)}`,
    );
  const more = clashes.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
