import { isJsonArray, isJsonObject, type JsonValue } from './json-value';

// PostgreSQL text holds neither U+0000 nor half of a surrogate pair.
const halfPair = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** Whether a string can be stored as it is: no NUL character and no lone surrogate. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && !halfPair.test(text);
}

/** A text that can be stored: U+FFFD stands for each NUL character and each half of a surrogate pair. */
export function storableText(text: string): string {
  return text.replace(/\0|\p{Cs}/gu, '\ufffd');
}

/** The first characters of a text, at most `length` UTF-16 units of it, without half of a surrogate pair at the end. */
export function cutText(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

/** A text of at most `longest` UTF-16 units; a longer one ends in `…`. */
export function shortened(text: string, longest: number): string {
  return text.length > longest ? `${cutText(text, longest - 1)}…` : text;
}

/** The path (`data.notes`) of the first string, member names included, that cannot be stored; undefined if all can. */
export function findUnstorableText(value: JsonValue, path: string): string | undefined {
  // Paths are made only where something is found: making them costs several times the look.
  return isStorable(value) ? undefined : placeOfUnstorable(value, path);
}

function isStorable(value: JsonValue): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (isJsonArray(value)) return value.every(isStorable);
  if (!isJsonObject(value)) return true;
  for (const member of Object.keys(value)) {
    if (!isStorableText(member) || !isStorable(value[member] ?? null)) return false;
  }
  return true;
}

function placeOfUnstorable(value: JsonValue, path: string): string | undefined {
  if (typeof value === 'string') return isStorableText(value) ? undefined : path;
  if (isJsonArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = placeOfUnstorable(item, `${path}[${index}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  for (const [member, inner] of Object.entries(value)) {
    if (!isStorableText(member)) return `${path} (a member name)`;
    const found = placeOfUnstorable(inner, `${path}.${member}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
