import { isJsonObject, JsonTextError, parseJsonText, type JsonObject, type JsonValue } from '@app/mapper';
import type { SimulatedRequest } from './exchange';

/**
 * The body as JSON, in which numbers beyond a double keep their digits. Undefined for an empty body or one that is no
 * JSON.
 */
export function jsonBodyOf({ body }: SimulatedRequest): JsonValue | undefined {
  try {
    return parseJsonText(body);
  } catch (error) {
    if (error instanceof JsonTextError) return undefined;
    throw error;
  }
}

/** The body as a JSON object; undefined when it is anything else. */
export function objectBodyOf(request: SimulatedRequest): JsonObject | undefined {
  const value = jsonBodyOf(request);
  return isJsonObject(value) ? value : undefined;
}

/** The members of a urlencoded form. If a member occurs several times, the last value counts. */
export function formBodyOf({ body }: SimulatedRequest): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(body));
}

/** The media type of the body, in lower case and without parameters. */
export function contentTypeOf({ headers }: SimulatedRequest): string {
  return (headers['content-type'] ?? '').split(';', 1).join('').trim().toLowerCase();
}
