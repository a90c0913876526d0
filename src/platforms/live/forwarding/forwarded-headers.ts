import type { PlatformResponse } from '../platform-response';

/**
 * Headers that a caller may send to every platform. All others are refused, such as credentials, hop-by-hop headers,
 * and headers that override the method or the host.
 */
const sendable: readonly string[] = [
  'accept',
  'accept-language',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'prefer',
];

/** Headers of answers that a caller may need. */
const answered: readonly string[] = [
  'content-type',
  'etag',
  'last-modified',
  'link',
  'location',
  'ms-correlation-x',
  'odata-version',
  'per-page',
  'preference-applied',
  'request-id',
  'retry-after',
  'total',
  'x-request-id',
];

const LONGEST_VALUE = 1_000;
const valueForm = /^[\x20-\x7e]*$/;

/** The problems of a caller's headers. @param also further names that the platform takes, in lower case */
export function headerProblems(
  headers: Readonly<Record<string, string>>,
  also: readonly string[],
): readonly string[] {
  const names = [...sendable, ...also].sort();
  return Object.entries(headers).flatMap(([name, value]) => {
    if (!names.includes(name)) return [`headers may only have ${names.join(', ')}`];
    const isValue = value.length <= LONGEST_VALUE && valueForm.test(value);
    return isValue ? [] : [`headers.${name} must be at most ${LONGEST_VALUE} printable ASCII characters`];
  });
}

/** The headers of an answer that a caller sees. */
export function shownHeaders({ headers }: PlatformResponse): Readonly<Record<string, string>> {
  return Object.fromEntries(
    answered.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
