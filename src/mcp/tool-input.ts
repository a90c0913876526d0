import type { Type } from '@nestjs/common';
import { isJsonObject, stringifyJson, type JsonObject, type JsonValue } from '@app/mapper';
import { DtoPipe } from '../common/validation/dto.pipe';
import { unknownParameters } from '../common/validation/query-names';
import { invalidInput } from '../common/errors/api-error';

const pipe = new DtoPipe();

/** Arguments as the body of the API's operation. @throws ApiError VALIDATION_ERROR as the API does */
export async function readBody<Dto extends object>(dto: Type<Dto>, given: JsonObject): Promise<Dto> {
  // The pipe returns an instance of the class that it is given.
  return (await pipe.transform(given, { type: 'body', metatype: dto })) as Dto;
}

/**
 * Arguments as the query of the API's operation, whose values are text.
 *
 * @throws ApiError VALIDATION_ERROR as the API does
 */
export async function readQuery<Dto extends object>(dto: Type<Dto>, given: JsonObject): Promise<Dto> {
  const query = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, textOf(name, value ?? null)]),
  );
  // As above.
  return (await pipe.transform(query, { type: 'query', metatype: dto })) as Dto;
}

/** An argument that is text. @throws ApiError VALIDATION_ERROR */
export function textIn(given: JsonObject, name: string): string {
  const value = optionalTextIn(given, name);
  if (value === undefined) throw invalidInput([`${name} is required`]);
  return value;
}

/**
 * The only argument of a tool, which is text.
 *
 * @throws ApiError VALIDATION_ERROR if it is missing or no text, and for other arguments, like a query of the API
 */
export function onlyTextIn(given: JsonObject, name: string): string {
  const problems = unknownParameters(given, (known) => known === name);
  if (problems.length > 0) throw invalidInput(problems);
  return textIn(given, name);
}

/** Like {@link textIn}, for an argument that may be absent. @throws ApiError VALIDATION_ERROR */
export function optionalTextIn(given: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(given, name) ? given[name] : undefined;
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw invalidInput([`${name} must be text`]);
}

/** The arguments without the named ones. */
export function without(given: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
}

function textOf(name: string, value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value === null || Array.isArray(value) || isJsonObject(value)) {
    throw invalidInput([`${name} must be text, a number or a boolean`]);
  }
  return stringifyJson(value);
}
