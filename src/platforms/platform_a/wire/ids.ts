import {
  ExactNumber,
  isJsonArray,
  isJsonObject,
  setMember,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';

/** The digits of an ID, however it is written; undefined for anything that is none. */
export function idText(value: JsonValue | undefined): string | undefined {
  if (value instanceof ExactNumber) return /^[1-9]\d*$/.test(value.token) ? value.token : undefined;
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** An ID as the platform takes it: an integer of any size. What has other characters than digits stays text. */
export function idNumber(text: string): JsonValue {
  if (!/^[1-9]\d*$/.test(text)) return text;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : new ExactNumber(text);
}

/**
 * Compares IDs by length, then character by character. IDs of digits are then in the ascending order of their numbers;
 * any other ID has some place among them.
 */
export function compareIds(one: string, other: string): number {
  if (one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : one > other ? 1 : 0;
}

const idMember = /(?:^|_)ids?$/;

/**
 * A record whose IDs beyond 2^53 are text with the same digits, as version 2 of the API writes all IDs. Everything that
 * works with IDs takes both, and no double can hold these. A record without such IDs is returned as it is.
 */
export function withTextIds(record: JsonObject): JsonObject {
  let changed: Record<string, JsonValue> | undefined;
  for (const [member, value] of Object.entries(record)) {
    const read = idMember.test(member) ? idsAsText(value) : withInnerIds(value);
    if (read === value) continue;
    changed ??= { ...record };
    setMember(changed, member, read);
  }
  return changed ?? record;
}

function idsAsText(value: JsonValue): JsonValue {
  if (value instanceof ExactNumber) return idText(value) ?? value;
  if (!isJsonArray(value) || !value.some((item) => item instanceof ExactNumber)) return withInnerIds(value);
  return value.map(idsAsText);
}

function withInnerIds(value: JsonValue): JsonValue {
  if (isJsonArray(value)) {
    const items = value.map(withInnerIds);
    return items.some((item, place) => item !== value[place]) ? items : value;
  }
  return isJsonObject(value) ? withTextIds(value) : value;
}
