import { isJsonObject, parseJsonText, type JsonObject } from '@app/mapper';

/** A JSON object from its stored text; an empty object if the text holds another JSON value. */
export function objectIn(text: string): JsonObject {
  const value = parseJsonText(text);
  return isJsonObject(value) ? value : {};
}
