import { isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from '@app/mapper';
import { PlatformRefused, PlatformUnavailable } from '../../platform-error';
import type { PlatformResponse } from '../../live/transport/platform-response';
import type { PlatformResult } from '../../live/transport/platform-result';
import { platformErrorOf } from '../../live/transport/result-error';
import { failureOf } from '../odata-failure';

/** A page of a list as the platform answered it. */
export interface ListAnswer {
  readonly records: readonly JsonObject[];
  /** Where the list goes on, as the platform wrote it; undefined at its end. */
  readonly nextLink: string | undefined;
  /** Records of the whole list, where they were asked for and the platform says. */
  readonly count: number | undefined;
  /** When it was answered, by the platform's clock; undefined where it does not say. */
  readonly date: Date | undefined;
}

/** What may not be read, or is not there: a part of the platform is missing from what can be known. */
export class NotPermitted extends Error {
  override readonly name = 'NotPermitted';

  constructor(readonly status: number) {
    super(`not to be read (${status})`);
  }
}

/**
 * A page of a list.
 *
 * @throws PlatformError when there is none; NotPermitted for 403, and for 404 of anything but the company
 */
export function listIn(result: PlatformResult): ListAnswer {
  const response = answered(result);
  const body = objectIn(response);
  const value = body && ownMember(body, 'value');
  const link = body && ownMember(body, '@odata.nextLink');
  if (!isJsonArray(value) || !value.every(isJsonObject) || (link !== undefined && typeof link !== 'string')) {
    throw nonsense(response);
  }
  const count = Number(body && ownMember(body, '@odata.count'));
  return {
    records: value.map(withoutContext),
    nextLink: link,
    count: Number.isSafeInteger(count) && count >= 0 ? count : undefined,
    date: dateOf(response),
  };
}

/** An answer of one object. @throws as {@link listIn} does */
export function objectAnswered(result: PlatformResult): JsonObject {
  const response = answered(result);
  const body = objectIn(response);
  if (body === undefined) throw nonsense(response);
  return withoutContext(body);
}

/**
 * One record. Whoever answers without its key, or with another one, has not shown it: such an answer may be of somebody in
 * between.
 *
 * @throws as {@link listIn} does
 */
export function recordUnder(id: string, result: PlatformResult): JsonObject {
  const record = objectAnswered(result);
  const shown = ownMember(record, 'id');
  if (typeof shown === 'string' && shown.toLowerCase() === id.toLowerCase()) return record;
  throw nonsense(answered(result));
}

/** The answer, if it is one of success. @throws as {@link listIn} does */
export function answered(result: PlatformResult): PlatformResponse {
  if (result.kind !== 'answered') throw platformErrorOf('platform_b', result);
  const { response } = result;
  if (response.ok) return response;
  const { status, code } = failureOf(response);
  if (status === 401) throw new PlatformRefused('platform_b', status, `refused the credentials (${status})`);
  if (code === 'Internal_CompanyNotFound') {
    throw new PlatformRefused('platform_b', status, `has no such company (${status})`);
  }
  if (status === 403 || status === 404) throw new NotPermitted(status);
  throw platformErrorOf('platform_b', result);
}

/** The body of an answer as an object; undefined when it is none. */
export function objectIn(response: PlatformResponse): JsonObject | undefined {
  const json = response.json();
  return json.kind === 'json' && isJsonObject(json.value) ? json.value : undefined;
}

/**
 * A record without what a single answer has beside its fields: where its description is. In lists the record does not
 * have it, and a stored record looks the same wherever it came from.
 */
export function withoutContext(record: JsonObject): JsonObject {
  const names = Object.keys(record);
  if (!names.some((name) => name.endsWith('@odata.context'))) return record;
  return Object.fromEntries(
    names
      .filter((name) => !name.endsWith('@odata.context'))
      .map((name): [string, JsonValue] => [name, ownMember(record, name) ?? null]),
  );
}

function dateOf({ headers }: PlatformResponse): Date | undefined {
  const date = new Date(headers['date'] ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function nonsense({ status }: PlatformResponse): PlatformUnavailable {
  return new PlatformUnavailable('platform_b', status, `answers nonsense (${status})`);
}
