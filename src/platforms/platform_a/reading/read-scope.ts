import type { Checkpoint, RecordPage, ReadScope } from '../../connector';
import { compareIds } from '../wire/ids';
import type { Session } from '../wire/session';
import type { PartPage } from './part';
import { scopes } from './parts';
import {
  checkpointOf,
  cursorIn,
  positionIn,
  type Cursor,
  type MarksByProject,
  type PartState,
  type Position,
} from './position';
import type { VendorDirectory } from './vendor-directory';
import { CHANGED } from '../wire/read-page';
import { visibleProjects } from './visible-projects';

/**
 * A reading of changes starts this long before the last reading began, because a record may be written late and clocks
 * differ. Milliseconds.
 */
const OVERLAP_MS = 10 * 60_000;
const CENTURY_MS = 100 * 365 * 24 * 3_600_000;

/** Maximum number of gaps that are named individually. */
const MOST_GAPS = 200;

/** Maximum number of contracts whose marks are remembered. */
const MOST_MARKS = 20_000;

const beginning: PartState = { step: 0, list: null, done: [] };

const nothingRead: Position = {
  began: '',
  part: '',
  state: null,
  gaps: [],
  unseen: [],
  open: [],
  marks: {},
};

/**
 * Reads a scope page by page. The last page has no records; it reports what was read.
 *
 * @throws PlatformError; the signal's reason
 */
export async function* readScope(
  session: Session,
  vendors: VendorDirectory,
  { entityType, since, before, already }: ReadScope,
  from: Checkpoint | null,
): AsyncGenerator<RecordPage, void, undefined> {
  const { byProject, read } = scopes[entityType];
  const cursor = cursorIn(since);
  const stored = positionIn(from);
  const earlier = cursorIn(since ?? before);
  const ofContracts = entityType === 'payment' ? cursorIn(already?.get('contract')) : undefined;
  const visible = byProject || entityType === 'project' ? await visibleProjects(session) : undefined;
  const projects = byProject && visible ? visible : { ids: [''], unseen: [], whole: true };
  const lost = visible ? lostProjects(session, earlier, visible.ids) : (earlier?.lost ?? []);
  // A project that has come into sight may have changed long ago.
  const isUnknown = (id: string): boolean => earlier?.parts.includes(id) === false;
  const listsAll = entityType === 'project' && visible?.ids.some(isUnknown) === true;
  const start = stored?.part ?? '';
  const isUnderWay = stored !== undefined && stored.state !== null;
  const parts =
    stored === undefined
      ? projects.ids
      : projects.ids.filter((id) => compareIds(id, start) > 0 || (isUnderWay && id === start));
  const tally = new Tally(session);
  const unseen = [...new Set([...projects.unseen, ...lost])];
  let position = withUnseen(stored ?? nothingRead, unseen, projects.whole);
  for (const part of parts) {
    const known = cursor?.parts.includes(part) === true && !listsAll ? cursor.since : undefined;
    const changed = known === undefined ? undefined : rangeFrom(known);
    const marks = known === undefined ? undefined : (cursor?.marks[part] ?? undefined);
    const contracts =
      ofContracts?.parts.includes(part) === true && !ofContracts.partial.includes(part)
        ? (ofContracts.marks[part] ?? undefined)
        : undefined;
    const state = part === start && isUnderWay ? (stored.state ?? beginning) : beginning;
    for await (const page of read(
      { session, vendors, part, changed, since: known, marks, contracts },
      state,
    )) {
      position = after(begun(position, session), part, page);
      yield { records: page.records, next: checkpointOf(position), ...tally.since() };
    }
    position = { ...position, part, state: null };
  }
  position = begun(position, session);
  // Where all contracts have marks but those that were not read, these alone are read again, and not the whole project.
  const hasMarks = (part: string): boolean => (position.marks[part] ?? null) !== null;
  const open = new Set(position.open.filter((part) => !hasMarks(part)));
  // A resumed reading continues after its last project. It has not read projects before that one that became visible
  // meanwhile, whether for the first time or again.
  const wasUnseen = new Set(position.unseen);
  const mayBeUnread = (id: string): boolean =>
    stored !== undefined && (!byProject || compareIds(id, start) < 0) && (isUnknown(id) || wasUnseen.has(id));
  const again = new Set([...open, ...(visible?.ids ?? []).filter(mayBeUnread)]);
  const covered = projects.ids.filter((id) => !again.has(id));
  const marks = Object.fromEntries(Object.entries(position.marks).filter(([part]) => !again.has(part)));
  const reached = new Date(Date.parse(position.began) - OVERLAP_MS);
  yield {
    records: [],
    next: null,
    complete: position.gaps.length === 0,
    // Also where the account sees no project any more: the next reading must know which ones there were.
    ...(covered.length + lost.length > 0 && {
      cursor: {
        since: instant(reached),
        // For the scope of projects: the projects that the account sees.
        parts:
          entityType === 'project' ? ['', ...(visible?.ids ?? []).filter((id) => !again.has(id))] : covered,
        lost: [...new Set([...lost, ...again])],
        partial: position.open.filter((part) => !again.has(part)),
        marks,
      },
    }),
    ...(position.gaps.length > 0 && { gaps: position.gaps }),
    ...tally.since(),
  };
}

/**
 * Projects of an earlier reading that the account no longer sees. The platform never deletes projects, so the account
 * has lost the permission, and the records of these projects still exist.
 */
function lostProjects(
  { settings }: Session,
  before: Cursor | undefined,
  visible: readonly string[],
): readonly string[] {
  const known = new Set([...(before?.parts ?? []), ...(before?.lost ?? [])]);
  const seen = new Set(['', ...visible]);
  return [...known].filter((id) => !seen.has(id) && (settings.projects?.includes(id) ?? true));
}

/**
 * Adds the projects that are out of sight. A resumed reading has those that there were when it began, and more may be out
 * of sight since.
 */
function withUnseen(position: Position, unseen: readonly string[], isWhole: boolean): Position {
  const named = unseen.map((id) => `project ${id} (not to be seen)`);
  const gaps = isWhole ? named : [...named, `projects (${CHANGED})`];
  return {
    ...position,
    unseen: [...new Set([...position.unseen, ...unseen])],
    gaps: bounded(
      position.gaps,
      gaps.filter((gap) => !position.gaps.includes(gap)),
    ),
  };
}

function after(position: Position, part: string, page: PartPage): Position {
  const gaps = page.gaps.map((gap) => (part === '' ? gap : `project ${part}: ${gap}`));
  const open = gaps.length === 0 || position.open.includes(part) ? position.open : [...position.open, part];
  const marks = joined(position.marks, part, page.marks);
  return { ...position, part, state: page.state, gaps: bounded(position.gaps, gaps), open, marks };
}

/** A project is remembered completely or not at all: a contract without a mark would be read each time. */
function joined(before: MarksByProject, part: string, more: PartPage['marks']): MarksByProject {
  if (more === undefined || before[part] === null) return before;
  const own = { ...before[part], ...more };
  const others = Object.entries(before).filter(([project]) => project !== part);
  const count = others.reduce((sum, [, marks]) => sum + Object.keys(marks ?? {}).length, 0);
  return { ...before, [part]: count + Object.keys(own).length > MOST_MARKS ? null : own };
}

function bounded(before: readonly string[], more: readonly string[]): readonly string[] {
  const all = [...before, ...more];
  return all.length <= MOST_GAPS ? all : [...all.slice(0, MOST_GAPS - 1), 'and more'];
}

/** Adds the time of the first response to the position. The time is not known before that response. */
function begun(position: Position, { began }: Session): Position {
  return position.began === '' ? { ...position, began: began.toISOString() } : position;
}

/** The platform's filter requires an end. This end lies so far ahead that differences between clocks do not matter. */
function rangeFrom(since: string): string {
  return `${since}...${instant(new Date(Date.parse(since) + CENTURY_MS))}`;
}

function instant(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Counts the calls since the previous page. */
class Tally {
  private calls = 0;
  private limited = 0;

  constructor(private readonly session: Pick<Session, 'calls' | 'limited'>) {}

  since(): { readonly calls: number; readonly limited: number } {
    const { calls, limited } = this.session;
    const passed = { calls: calls - this.calls, limited: limited - this.limited };
    [this.calls, this.limited] = [calls, limited];
    return passed;
  }
}
