import { shortened, stringifyJson, type JsonValue } from '@app/mapper';

/** A value as a reason shows it: its JSON, at most `longest` characters of it; `nothing` where there is none. */
export function shownValue(value: JsonValue | undefined, longest: number): string {
  return value === undefined ? 'nothing' : shortened(stringifyJson(value), longest);
}
