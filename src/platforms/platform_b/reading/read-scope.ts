import type { JsonObject, StoredEntityType } from '@app/mapper';
import type { CallBudget, Checkpoint, RecordPage, ReadScope } from '../../connector';
import type { Session } from '../session';
import { budgetOf } from './call-budget';
import { beginningOf } from './list-place';
import { PAGE_SIZES } from './page-sizes';
import { readPage, type ListPage } from './read-list';
import { NotPermitted } from './records-in';
import { checkpointOf, readCheckpoint, readCursor, type ScopePlace } from './scope-place';
import { targetsOf } from './targets';

/**
 * The next reading of changes starts this long before this one began, because clocks differ and writes take time.
 * Milliseconds.
 */
const OVERLAP = 600_000;

/**
 * Reads a scope page by page.
 *
 * @param now this process's time, used if the platform does not report its own
 * @throws PlatformError; the signal's reason
 */
export async function* readScope(
  session: Session,
  { entityType, since }: ReadScope,
  from: Checkpoint | null,
  now: () => Date,
  signal: AbortSignal,
): AsyncGenerator<RecordPage> {
  let cursor = from === null ? undefined : readCheckpoint(from).cursor;
  let place: Omit<ScopePlace, 'cursor'> =
    from === null
      ? { ...(await targetsOf(session, entityType, readCursor(since), signal)), list: undefined }
      : readCheckpoint(from);
  // Where a list could not be read, nothing of it is covered that was not covered before.
  const covered = (gaps: readonly string[], reached: string): string | undefined =>
    gaps.length === 0 ? reached : readCursor(since);
  for (;;) {
    const [target, ...behind] = place.targets;
    if (target === undefined) {
      yield lastPage([], place.gaps, covered(place.gaps, cursor ?? cursorAt(now())), session);
      return;
    }
    let page: ListPage;
    try {
      const list = place.list ?? beginningOf(target.url, PAGE_SIZES[entityType]);
      page = await readPage(session, list, signal);
    } catch (error) {
      if (!(error instanceof NotPermitted)) throw error;
      const gaps = [...place.gaps, `${target.name} (${error.status})`];
      place = { targets: behind, list: undefined, gaps };
      continue;
    }
    cursor ??= cursorAt(page.date ?? now());
    const records = place.list === undefined ? page.count : undefined;
    const foreseen = records === undefined ? undefined : budgetOf(entityType, records);
    place = { ...place, targets: page.next === undefined ? behind : place.targets, list: page.next };
    if (place.targets.length === 0) {
      const { gaps } = place;
      yield lastPage(recordsOf(entityType, page.records), gaps, covered(gaps, cursor), session, foreseen);
      return;
    }
    yield {
      records: recordsOf(entityType, page.records),
      next: checkpointOf({ ...place, cursor }),
      ...(foreseen !== undefined && { foreseen }),
      ...session.takeCount(),
    };
  }
}

function lastPage(
  records: RecordPage['records'],
  gaps: readonly string[],
  cursor: string | undefined,
  session: Session,
  foreseen?: CallBudget,
): RecordPage {
  return {
    records,
    next: null,
    complete: gaps.length === 0,
    ...(cursor !== undefined && { cursor }),
    ...(gaps.length > 0 && { gaps }),
    ...(foreseen !== undefined && { foreseen }),
    ...session.takeCount(),
  };
}

function cursorAt(began: Date): string {
  return new Date(began.getTime() - OVERLAP).toISOString();
}

function recordsOf(entityType: StoredEntityType, payloads: readonly JsonObject[]): RecordPage['records'] {
  return payloads.map((payload) => ({ entityType, variant: null, payload }));
}
