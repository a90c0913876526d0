import type { JsonObject } from '@app/mapper';
import { PlatformUnavailable } from '../../platform-error';
import { idText } from './ids';
import { readPage } from './read-page';
import type { Query, Session } from './session';

/** Rows of a page. The platform may cut down larger pages silently. */
export const PER_PAGE = 100;

/** The most pages of one list: a list whose links lead in a circle never ends. */
const MOST_PAGES = 100_000;

/**
 * The most consecutive pages without a new row. Rows that the account may not see leave pages empty, and rows that move
 * between pages are repeated.
 */
const MOST_IDLE_PAGES = 100;

/** The next page of a list to read, and what the pages before it have shown. */
export interface ListState {
  readonly url: string;
  /** Different rows on the pages before this one. */
  readonly count: number;
  /** The number of rows of the whole list, from the earlier pages; null if they did not say it, or none was read. */
  readonly total: number | null;
  /** 2 when the list is read a second time, because the first time cannot have been all of it. */
  readonly pass: number;
}

/** A page of a list that was read. */
export interface ListPage {
  readonly rows: readonly JsonObject[];
  /** This page. */
  readonly at: ListState;
  /** Null after the last page. */
  readonly next: ListState | null;
  /** On the last page: whether all rows of the list were seen. */
  readonly whole?: boolean;
}

/** The beginning of a list. */
export function listAt(session: Session, path: string, query: Query, perPage = PER_PAGE): ListState {
  const url = session.address(path, [...query, ['per_page', String(perPage)]]);
  return { url, count: 0, total: null, pass: 1 };
}

/**
 * Reads a list by its links, beginning at one of its pages. Lists have no snapshot: added and removed rows move other
 * rows from page to page. If fewer rows were seen than the list reports, or if its reports differ, the list is read
 * once more. If that happens again, the list counts as incomplete.
 *
 * @param first the beginning of the list
 * @throws NotReadable, PlatformError
 */
export async function* readList(
  session: Session,
  first: ListState,
  from: ListState = first,
): AsyncGenerator<ListPage, void, undefined> {
  let state = from;
  let seen = new Set<string>();
  let visited = new Set<string>();
  // Rows before the resumed position. An earlier call read them, so they cannot be compared with the rows that follow.
  let before = from.count;
  let isSteady = true;
  let idlePages = 0;
  for (let pages = 0; ; pages += 1) {
    if (visited.has(state.url) || pages > MOST_PAGES || idlePages > MOST_IDLE_PAGES) {
      throw new PlatformUnavailable(
        session.connection.platform,
        undefined,
        'leads from page to page without end',
      );
    }
    visited.add(state.url);
    const { rows, next, total } = await readPage(session, state.url);
    const seenBefore = seen.size;
    for (const row of rows) {
      const id = idText(row['id']);
      if (id !== undefined) seen.add(id);
    }
    idlePages = seen.size > seenBefore ? 0 : idlePages + 1;
    const count = before + seen.size;
    isSteady &&= state.total === null || total === undefined || total === state.total;
    if (next !== undefined) {
      const following = { url: next, count, total: total ?? state.total, pass: state.pass };
      yield { rows, at: state, next: following };
      state = following;
      continue;
    }
    const whole = isSteady && (total === undefined || count >= total);
    if (whole || state.pass > first.pass) {
      yield { rows, at: state, next: null, whole };
      return;
    }
    const again = { ...first, pass: first.pass + 1 };
    yield { rows, at: state, next: again };
    state = again;
    [seen, visited, before, isSteady, idlePages] = [new Set(), new Set(), 0, true, 0];
  }
}

/** All rows of a list, each once, and whether these are all. */
export async function readWhole(
  session: Session,
  first: ListState,
): Promise<{ readonly rows: readonly JsonObject[]; readonly whole: boolean }> {
  const rows = new Map<string, JsonObject>();
  let whole = false;
  for await (const page of readList(session, first)) {
    for (const row of page.rows) rows.set(idText(row['id']) ?? `#${rows.size}`, row);
    whole = page.whole ?? false;
  }
  return { rows: [...rows.values()], whole };
}
