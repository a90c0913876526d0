import {
  exceededLimit,
  isJsonObject,
  JsonTextError,
  parseJsonText,
  type JsonObject,
  type StructureLimits,
} from '@app/mapper';
import { invalidInput } from '../errors/api-error';
import { isUtf8 } from 'node:buffer';

/** Limits for the structure of a body. The outermost object is the first level. */
const BODY_STRUCTURE: StructureLimits = { levels: 100, containers: 40_000, names: 10_000 };

const exceeded: Readonly<Record<keyof StructureLimits, string>> = {
  levels: `the body nests deeper than ${BODY_STRUCTURE.levels} levels`,
  containers: `the body has more than ${BODY_STRUCTURE.containers} objects and lists`,
  names: `the body has more than ${BODY_STRUCTURE.names} different names of members`,
};

/**
 * Parses the body of a request. An absent body counts as an object without members. A route with required members then
 * reports which are missing.
 *
 * @throws ApiError 400 if the bytes are not UTF-8 or not JSON, nest too deep, have too many objects and lists or
 *   different names, or are not an object at the top level
 */
export function parseJsonBody(bytes: Buffer): JsonObject {
  if (bytes.length === 0) return {};
  const text = decodeUtf8(bytes);
  const limit = exceededLimit(text, BODY_STRUCTURE);
  if (limit !== undefined) throw invalidInput([exceeded[limit]]);
  const value = parse(text);
  if (!isJsonObject(value)) throw invalidInput(['the body must be a JSON object']);
  return value;
}

function decodeUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw invalidInput(['the body is not UTF-8']);
  // A byte order mark is not part of the text.
  return bytes.toString('utf8', bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0);
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
