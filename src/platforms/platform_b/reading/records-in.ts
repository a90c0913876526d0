import { isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from '@app/mapper';
import { PlatformRefused, PlatformUnavailable } from '../../platform-error';
import type { PlatformResponse } from '../../live/platform-response';
import type { PlatformResult } from '../../live/platform-result';
import { platformErrorOf } from '../../live/transport/result-error';
import { failureOf, isGone, isWrongAddress } from '../odata-failure';

/** A page of a list, from the platform's response. */
export interface ListResponse {
  readonly records: readonly JsonObject[];
  /** The link to the next page, as the platform wrote it; undefined on the last page. */
  readonly nextLink: string | undefined;
  /** Records of the whole list, if they were requested and the platform reports them. */
  readonly count: number | undefined;
  /** When the platform responded, by its own clock; undefined if it does not say. */
  readonly date: Date | undefined;
}

/** A part of the platform may not be read or does not exist, so what is in it is unknown. */
export class NotPermitted extends Error {
  override readonly name = 'NotPermitted';

  constructor(readonly status: number) {
    super(`not to be read (${status})`);
  }
}

/**
 * A page of a list.
 *
 * @throws PlatformError if the response has no page; NotPermitted for 403, and for a 404 by which the
 *   platform says that there is no such record or address
 */
export function listIn(result: PlatformResult): ListResponse {
  const response = answered(result);
  const body = response.object;
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

/** The object in a response. @throws as {@link listIn} does */
export function objectAnswered(result: PlatformResult): JsonObject {
  const response = answered(result);
  const body = response.object;
  if (body === undefined) throw nonsense(response);
  return withoutContext(body);
}

/**
 * The record in a response. A response without the record's key, or with another key, is rejected: it may come from an
 * intermediary instead of the platform.
 *
 * @throws as {@link listIn} does
 */
export function recordUnder(id: string, result: PlatformResult): JsonObject {
  const record = objectAnswered(result);
  const shown = ownMember(record, 'id');
  if (typeof shown === 'string' && shown.toLowerCase() === id.toLowerCase()) return record;
  throw nonsense(answered(result));
}

/** The response if its status is a success. @throws as {@link listIn} does */
export function answered(result: PlatformResult): PlatformResponse {
  if (result.kind !== 'answered') throw platformErrorOf('platform_b', result);
  const { response } = result;
  if (response.ok) return response;
  const failure = failureOf(response);
  const { status, code } = failure;
  if (status === 401) throw new PlatformRefused('platform_b', status, `refused the credentials (${status})`);
  if (code === 'Internal_CompanyNotFound') {
    throw new PlatformRefused('platform_b', status, `has no such company (${status})`);
  }
  const isNotFound = status === 404 && (isGone(failure) || isWrongAddress(failure));
  if (status === 403 || isNotFound) throw new NotPermitted(status);
  // A gateway's page, as the platform gives each refusal a code.
  if (status === 404 && code === '') throw nonsense(response);
  throw platformErrorOf('platform_b', result);
}

/**
 * A record without the metadata address that single-record responses add to the fields. Records in lists do not have
 * it, and a stored record must look the same for both sources.
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
