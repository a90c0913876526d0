import { cutText, stringifyJson, type JsonPath, type JsonValue } from '@app/mapper';

/** A field that another user changed to a value other than the wanted one. */
export interface Clash {
  readonly path: JsonPath;
  readonly theirs: JsonValue | undefined;
  readonly mine: JsonValue;
}

/** Clashes that a reason names one by one. */
const MOST_NAMED = 20;

/** Why fields were not written, with both values. */
export function clashWords(clashes: readonly Clash[]): string {
  const named = clashes
    .slice(0, MOST_NAMED)
    .map(
      ({ path, theirs, mine }) =>
        `${path.join('.')} was changed to ${text(theirs)} meanwhile, not to ${text(mine)}`,
    );
  const more = clashes.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function text(value: JsonValue | undefined): string {
  const whole = value === undefined ? 'nothing' : stringifyJson(value);
  return whole.length > 200 ? `${cutText(whole, 200)}…` : whole;
}
