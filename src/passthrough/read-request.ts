import {
  ExactNumber,
  findUnstorableText,
  isJsonArray,
  stringifyJson,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import { invalidInput } from '../common/errors/api-error';
import type { CallerRequest } from '../platforms/caller-request';
import type { PlatformRequestDto } from './passthrough.dto';

/**
 * Reads a caller's request from a validated body. The connector decides whether the request stays within the
 * connection.
 *
 * @throws ApiError VALIDATION_ERROR
 */
export function readRequest({
  method,
  path,
  query = {},
  headers = {},
  body,
}: PlatformRequestDto): CallerRequest {
  const problems: string[] = [];
  const texts = { query, headers, ...(body !== undefined && { body }) };
  const unstorable = findUnstorableText(texts, 'request');
  if (unstorable !== undefined) {
    const name = unstorable.replace(/^request\./, '');
    throw invalidInput([`${name} must not contain a NUL character or half of a surrogate pair`]);
  }
  const read = {
    method,
    path,
    query: parametersOf(query, problems),
    headers: headersOf(headers, problems),
    ...(body !== undefined && { body }),
  };
  if (problems.length > 0) throw invalidInput(problems);
  return read;
}

function parametersOf(query: JsonObject, problems: string[]): CallerRequest['query'] {
  return Object.entries(query).flatMap(([name, value]) =>
    (isJsonArray(value) ? value : [value]).flatMap((one): [string, string][] => {
      const text = textOf(one);
      if (name !== '' && text !== undefined) return [[name, text]];
      problems.push('query must have text, numbers, booleans, or lists of them, each with a name');
      return [];
    }),
  );
}

function headersOf(headers: JsonObject, problems: string[]): CallerRequest['headers'] {
  const read = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (typeof value !== 'string' || read.has(lower)) problems.push('headers must have text, each name once');
    else read.set(lower, value);
  }
  return Object.fromEntries(read);
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  const isScalar = typeof value === 'number' || typeof value === 'boolean' || value instanceof ExactNumber;
  return isScalar ? stringifyJson(value) : undefined;
}
