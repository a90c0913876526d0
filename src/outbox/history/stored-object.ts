import { isJsonObject, parseJsonText, type JsonObject } from '@app/mapper';

/** An object from its stored text; empty where the text is another value. */
export function objectIn(text: string): JsonObject {
  const value = parseJsonText(text);
  return isJsonObject(value) ? value : {};
}
