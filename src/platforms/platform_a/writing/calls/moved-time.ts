import {
  decimalIn,
  isJsonArray,
  isJsonObject,
  sameJson,
  shortestDecimal,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';

const TIME = 'updated_at';

/**
 * Whether a record, or a part of it such as a line, has a later modification time than before and no other difference. A
 * difference would explain the later time. Without one, a change was made and undone, and it may have been the write in
 * question.
 */
export function onlyTimeMoved(before: JsonObject, now: JsonObject): boolean {
  if (!sameJson(meaningOf(before), meaningOf(now))) return false;
  const earlier = timesIn(before);
  return timesIn(now).some((time, place) => time > (earlier[place] ?? NaN));
}

/** A value without the modification times in it, its decimals in one spelling: the platform shows amounts with any scale. */
function meaningOf(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(meaningOf);
  if (!isJsonObject(value)) {
    const decimal = decimalIn(value);
    return decimal === undefined ? value : shortestDecimal(decimal);
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === TIME ? null : meaningOf(member)]),
  );
}

/** The modification times of a record and of its parts, in milliseconds; NaN for one that cannot be read. */
function timesIn(value: JsonValue): readonly number[] {
  if (isJsonArray(value)) return value.flatMap(timesIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (name !== TIME) return timesIn(member);
    return [typeof member === 'string' ? Date.parse(member) : NaN];
  });
}
