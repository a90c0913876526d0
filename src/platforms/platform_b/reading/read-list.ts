import type { JsonObject } from '@app/mapper';
import { PlatformUnavailable } from '../../platform-error';
import type { PlatformResult } from '../../live/transport/platform-result';
import type { Session } from '../session';
import { beginningOf, placeBehind, type ListPlace } from './list-place';
import { listIn } from './records-in';

/** A page of a list, and where it goes on. */
export interface ListPage {
  readonly records: readonly JsonObject[];
  readonly next: ListPlace | undefined;
  /** Records of the whole list, where the platform says. */
  readonly count: number | undefined;
  readonly date: Date | undefined;
}

/** A page is not made smaller than this. */
const SMALLEST_PAGE = 25;

/**
 * Reads one page. A page that takes the platform or us too long, or is too large, is asked for again with half as many
 * records.
 *
 * @throws PlatformError, also for a list that leads in a circle or to another host; NotPermitted; the signal's reason
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
      throw new PlatformUnavailable('platform_b', 200, 'answers nonsense: a list leads in a circle');
    }
    return { records, next, count, date };
  }
}

/** The records of a list that is known to be short. @throws as {@link readPage} does */
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
