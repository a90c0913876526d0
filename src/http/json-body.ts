import { isJsonObject, JsonTextError, parseJsonText, type JsonObject } from '@app/mapper';
import { invalidInput } from '../errors/api-error';
import { nestsDeeperThan } from './json-depth';

/** Levels of nesting a body may have; the outermost object is the first. */
export const MAX_DEPTH = 100;

/**
 * Parses the body of a request. No body at all counts as an object without members: a route that needs some says
 * which are missing, and one that needs none does not mind.
 *
 * @throws ApiError 400 when the bytes are no UTF-8, no JSON, nest too deep, or are no object at the top
 */
export function parseJsonBody(bytes: Buffer): JsonObject {
  if (bytes.length === 0) return {};
  const text = decodeUtf8(bytes);
  if (nestsDeeperThan(text, MAX_DEPTH)) {
    throw invalidInput([`the body nests deeper than ${MAX_DEPTH} levels`]);
  }
  const value = parse(text);
  if (!isJsonObject(value)) throw invalidInput(['the body must be a JSON object']);
  return value;
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw invalidInput(['the body is not UTF-8'], { cause });
  }
}

function parse(text: string) {
  try {
    return parseJsonText(text);
  } catch (cause) {
    if (cause instanceof JsonTextError)
      throw invalidInput([`the body is not JSON: ${cause.message}`], { cause });
    throw cause;
  }
}
