import { ownMember, type JsonObject, type StoredEntityType } from '@app/mapper';
import type { SourceRecord } from '../../connector';
import { companyWide } from '../wire/company-wide';
import { idText } from '../wire/ids';
import { listAt, readList, type ListPage, type ListState } from '../wire/list';
import { CHANGED, NotReadable } from '../wire/read-page';
import {
  contractKinds,
  ofCompany,
  ofProject,
  paths,
  PROJECTS_PER_PAGE,
  storedViews,
} from '../wire/resources';
import type { Session } from '../wire/session';
import { comparesMarks, hasChangedMark, marksOf } from './contract-mark';
import { CHUNK, changedWithin, type PartPage, type PartReader, type ReadPart } from './part';
import { readPayments } from './payments';
import type { PartState } from './position';
import { contractRecords, requisitionRecords, type ReadRecords } from './records';

/** How each scope is read: a scope of the company as one part, the others project by project. */
export const scopes: Readonly<
  Record<StoredEntityType, { readonly byProject: boolean; readonly read: ReadPart }>
> = {
  project: { byProject: false, read: readProjects },
  customer: { byProject: false, read: readVendors },
  contract: { byProject: true, read: readContracts },
  invoice: { byProject: true, read: readRequisitions },
  payment: { byProject: true, read: readPayments },
};

async function* readProjects({ session, changed }: PartReader, from: PartState): AsyncGenerator<PartPage> {
  const query = [...ofCompany(session), ...storedViews.projects, ...changedWithin(changed)];
  const { projects } = session.settings;
  const isWanted = (row: JsonObject): boolean =>
    projects === undefined || projects.includes(idText(ownMember(row, 'id')) ?? '');
  const first = listAt(session, paths.projectList, query, PROJECTS_PER_PAGE);
  for await (const page of readStep(session, first, from, { step: 0, name: 'projects', isNeeded: true })) {
    const rows = page.rows.filter(isWanted);
    yield { ...page, records: rows.map((payload) => ({ entityType: 'project', variant: null, payload })) };
  }
}

async function* readVendors({ session, changed }: PartReader, from: PartState): AsyncGenerator<PartPage> {
  const toRecord = (payload: JsonObject): SourceRecord => ({
    entityType: 'customer',
    variant: null,
    payload,
  });
  if (from.step === 0) {
    const query = [...ofCompany(session), ...storedViews.vendors, ...changedWithin(changed)];
    const first = listAt(session, paths.vendors, query);
    for await (const page of readStep(session, first, from, { step: 0, name: 'vendors', isNeeded: true })) {
      yield { ...page, records: page.rows.map(toRecord) };
    }
  }
  // This list has no filter by time. It is short.
  const path = paths.inactiveVendors(session.settings.company_id);
  const first = listAt(session, path, storedViews.vendors);
  for await (const page of readStep(session, first, from, { step: 1, name: 'inactive vendors' })) {
    yield { ...page, records: page.rows.map(toRecord) };
  }
}

async function* readContracts(reader: PartReader, from: PartState): AsyncGenerator<PartPage> {
  const { session, part: project, changed } = reader;
  // If marks are compared, all contracts are listed and unchanged ones are skipped. The amounts of a contract may change
  // without its timestamp, and the payments need all contracts.
  const compares = comparesMarks(reader);
  const query = [
    ...ofProject(project),
    ...storedViews.contracts,
    ...(compares ? [] : changedWithin(changed)),
  ];
  for (const [step, kind] of contractKinds.entries()) {
    if (step < from.step) continue;
    const first = listAt(session, kind.path, query);
    const complete = (rows: readonly JsonObject[]): Promise<ReadRecords> =>
      contractRecords({ ...reader, project }, kind, rows);
    for await (const page of readStep(session, first, from, { step, name: kind.name })) {
      const marks = marksOf(page.rows);
      const isWanted = (row: JsonObject): boolean => {
        const id = idText(ownMember(row, 'id'));
        return id === undefined || hasChangedMark(reader, id, marks[id] ?? '');
      };
      const rows = page.rows.filter(isWanted);
      const settled = marksOf(page.rows.filter((row) => !isWanted(row)));
      for await (const chunk of inChunks({ ...page, rows }, complete)) {
        // A contract that was left out has no mark, so the next reading reads it.
        const read = marksOf(chunk.records.map(({ payload }) => payload));
        yield compares ? { ...chunk, marks: { ...settled, ...read } } : chunk;
      }
    }
  }
}

async function* readRequisitions(reader: PartReader, from: PartState): AsyncGenerator<PartPage> {
  const { session, part: project, changed } = reader;
  const query = [...ofProject(project), ...storedViews.requisitions, ...changedWithin(changed)];
  const first = listAt(session, paths.requisitions, query);
  for await (const page of readStep(session, first, from, { step: 0, name: 'requisitions' })) {
    const { records, gaps } = await requisitionRecords({ ...reader, project }, page.rows);
    yield { records, state: page.state, gaps: [...page.gaps, ...gaps] };
  }
}

interface ReadStep {
  readonly step: number;
  /** The name of the list in gaps. */
  readonly name: string;
  /** Whether the part cannot be read at all without this list. */
  readonly isNeeded?: boolean;
}

/** A page of one of the lists of a part, with the rows that were not returned before. */
type StepPage = Omit<PartPage, 'records'> & { readonly rows: readonly JsonObject[]; readonly at: PartState };

async function* readStep(
  session: Session,
  first: ListState,
  from: PartState,
  { step, name, isNeeded = false }: ReadStep,
): AsyncGenerator<StepPage> {
  if (from.step > step) return;
  const resumed = from.step === step ? from : undefined;
  const given = new Set(resumed?.done);
  const after: PartState = { step: step + 1, list: null, done: [] };
  const pages = readList(session, first, resumed?.list ?? first);
  let done = resumed?.done ?? [];
  for (;;) {
    let page: ListPage;
    try {
      const next = await (isNeeded ? companyWide(session, pages.next()) : pages.next());
      if (next.done === true) return;
      page = next.value;
    } catch (error) {
      if (!(error instanceof NotReadable)) throw error;
      yield { rows: [], at: after, state: after, gaps: [`${name} (${error.why})`] };
      return;
    }
    // A list that is read twice returns most of its rows again.
    const rows = page.rows.filter((row) => {
      const id = idText(ownMember(row, 'id'));
      if (id === undefined || given.has(id)) return id === undefined;
      given.add(id);
      return true;
    });
    yield {
      rows,
      at: { step, list: page.at, done },
      state: page.next === null ? after : { step, list: page.next, done: [] },
      gaps: page.whole === false ? [`${name} (${CHANGED})`] : [],
    };
    done = [];
  }
}

/** The records of a page in chunks, so that finished work is stored early. */
async function* inChunks(
  { rows, at, state, gaps }: StepPage,
  complete: (rows: readonly JsonObject[]) => Promise<ReadRecords>,
): AsyncGenerator<PartPage> {
  const done: string[] = [...at.done];
  for (let from = 0; from === 0 || from < rows.length; from += CHUNK) {
    const chunk = rows.slice(from, from + CHUNK);
    const isLast = from + CHUNK >= rows.length;
    const read = await complete(chunk);
    done.push(...chunk.flatMap((row) => idText(ownMember(row, 'id')) ?? []));
    yield {
      records: read.records,
      state: isLast ? state : { ...at, done: [...done] },
      gaps: [...read.gaps, ...(isLast ? gaps : [])],
    };
  }
}
