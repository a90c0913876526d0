import type { StoredEntityType } from '@app/mapper';
import { PlatformUnavailable } from '../../platform-error';
import type { CallBudget, ReadScope } from '../../connector';
import { setUrl } from '../addresses';
import { platformBLimits } from '../limits';
import type { Session } from '../session';
import { PAGE_SIZES } from './page-sizes';
import { answered, NotPermitted } from './records-in';
import { readCursor } from './scope-place';
import { targetsOf } from './targets';

/**
 * Estimates the calls for reading some scopes: one call for each page, and one for the journals. The platform counts
 * the records, which takes one call for each list.
 *
 * @throws PlatformError
 */
export async function callBudget(
  session: Session,
  scopes: readonly ReadScope[],
  signal: AbortSignal,
): Promise<CallBudget> {
  let calls = 0;
  for (const { entityType, since } of scopes) {
    const { targets } = await targetsOf(session, entityType, readCursor(since), signal);
    if (entityType === 'payment') calls += 1;
    const set = setUrl(session.settings, entityType);
    for (const { url } of targets) {
      const records = await countOf(session, countUrl(set, url), signal);
      calls += budgetOf(entityType, records).calls;
    }
  }
  return { calls, minutesAtLimit: minutesOf(calls) };
}

/** The calls for reading a list with this number of records. */
export function budgetOf(entityType: StoredEntityType, records: number): CallBudget {
  const pages = Math.max(1, Math.ceil(records / PAGE_SIZES[entityType]));
  return { calls: pages, minutesAtLimit: minutesOf(pages) };
}

async function countOf(session: Session, url: string, signal: AbortSignal): Promise<number> {
  const headers = { accept: 'application/json, text/plain' };
  const result = await session.send({ kind: 'read', method: 'GET', url, headers, signal });
  try {
    const { text, status } = answered(result);
    // Some servers begin a text with a byte order mark.
    const count = Number(text.replace(/^\ufeff/, '').trim());
    if (Number.isSafeInteger(count) && count >= 0) return count;
    throw new PlatformUnavailable('platform_b', status, `answers nonsense (${status})`);
  } catch (error) {
    // The reading discovers the missing permission too, with one call.
    if (error instanceof NotPermitted) return 0;
    throw error;
  }
}

// The same filter, without the options that a count does not accept.
function countUrl(set: string, url: string): string {
  const filter = new URL(url).searchParams.get('$filter');
  const query = filter === null ? '' : `?$filter=${encodeURIComponent(filter).replaceAll('%2F', '/')}`;
  return `${set}/$count${query}`;
}

function minutesOf(calls: number): number {
  const { bucket } = platformBLimits;
  if (bucket === undefined) return 0;
  return Math.max(0, calls - bucket.burst) / bucket.perSecond / 60;
}
