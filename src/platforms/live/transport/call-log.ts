import type { PlatformResponse } from '../platform-response';
import type { PlatformResult } from '../platform-result';

/** Under which the platforms name a request of their own, for their support. */
const OWN_ID_HEADERS = ['x-request-id', 'request-id', 'ms-correlation-x'] as const;

/** Longer ones are cut: a header is as long as the platform likes. */
const LONGEST_ID = 100;

/**
 * The path of an address, and the names of its query parameters. Values may be customers' data, so they are left out.
 */
export function loggedPath(url: string): string {
  if (!URL.canParse(url)) return '';
  const { pathname, searchParams } = new URL(url);
  const names = [...new Set(searchParams.keys())];
  return names.length === 0 ? pathname : `${pathname}?${names.join('&')}`;
}

/** The members of the log line about the end of a call. */
export function loggedResult(result: PlatformResult): Readonly<Record<string, unknown>> {
  if (result.kind !== 'answered') {
    const status = result.kind === 'unknown' ? result.status : undefined;
    return { outcome: result.kind, reason: result.reason, ...(status !== undefined && { status }) };
  }
  const { response } = result;
  return { status: response.status, bytes: response.bytes, platform_ids: ownIds(response) };
}

/** The status as a label: its class, or what there was instead of an answer. */
export function statusClass(result: PlatformResult): string {
  if (result.kind !== 'answered') return result.kind;
  const digit = Math.floor(result.response.status / 100);
  return digit >= 2 && digit <= 5 ? `${digit}xx` : 'other';
}

function ownIds({ headers }: PlatformResponse): Readonly<Record<string, string>> {
  return Object.fromEntries(
    OWN_ID_HEADERS.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value.slice(0, LONGEST_ID)]];
    }),
  );
}
