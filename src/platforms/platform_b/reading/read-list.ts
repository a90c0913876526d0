import type { JsonObject } from '@app/mapper';
import { PlatformUnavailable } from '../../platform-error';
import type { PlatformResult } from '../../live/platform-result';
import type { Session } from '../session';
import { beginningOf, placeBehind, type ListPlace } from './list-place';
import { listIn } from './records-in';

/** A page of a list, and the place after it. */
export interface ListPage {
  readonly records: readonly JsonObject[];
  readonly next: ListPlace | undefined;
  /** Records of the whole list, if the platform reports them. */
  readonly count: number | undefined;
  readonly date: Date | undefined;
}

/** The smallest page size in records. */
const SMALLEST_PAGE = 25;

/**
 * Reads one page. If a page is too large or takes the platform or this process too long, it is requested again with
 * half as many records.
 *
 * @throws PlatformError, also for a list that never ends or leads to another host; NotPermitted; the signal's reason
 */
export async function readPage(session: Session, from: ListPlace, signal: AbortSignal): Promise<ListPage> {
  let place = from;
  for (;;) {
    const prefer = `odata.maxpagesize=${place.size}`;
    const result = await session.read(place.url, signal, { prefer });
    if (wantsLess(result) && place.size > SMALLEST_PAGE) {
      place = { ...place, size: Math.max(SMALLEST_PAGE, Math.floor(place.size / 2)) };
      continue;
    }
    const { records, nextLink, count, date } = listIn(result);
    if (nextLink === undefined) return { records, next: undefined, count, date };
    const next = placeBehind(place, nextLink, records);
    if (next === undefined) {
      throw new PlatformUnavailable('platform_b', 200, 'leads from page to page without end');
    }
    return { records, next, count, date };
  }
}

/** All records of a list that is known to be short. @throws as {@link readPage} does */
export async function readAll(session: Session, url: string, signal: AbortSignal): Promise<JsonObject[]> {
  const all: JsonObject[] = [];
  let place: ListPlace | undefined = beginningOf(url, 5_000);
  while (place !== undefined) {
    const page: ListPage = await readPage(session, place, signal);
    all.push(...page.records);
    place = page.next;
  }
  return all;
}

const slow: ReadonlySet<string> = new Set(['headers_timeout', 'body_timeout', 'deadline', 'too_large']);

function wantsLess(result: PlatformResult): boolean {
  if (result.kind === 'unknown') return slow.has(result.reason);
  return result.kind === 'answered' && [408, 413, 504].includes(result.response.status);
}
