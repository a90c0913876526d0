import { ownMember, type JsonObject, type StoredEntityType } from '@app/mapper';
import type { SourceRecord } from '../../../connector';
import { companyWide } from '../wire/company-wide';
import { eachAtOnce } from '../wire/at-once';
import { compareIds, idText } from '../wire/ids';
import { listAt, readList, readWhole, type ListPage, type ListState } from '../wire/list';
import { NotReadable } from '../wire/read-page';
import {
  contractKinds,
  ofCompany,
  ofProject,
  paths,
  PROJECTS_PER_PAGE,
  storedViews,
} from '../wire/resources';
import type { Query, Session } from '../wire/session';
import type { PartState } from './position';
import { CHANGED, contractRecords, paymentRecords, requisitionRecords, type ReadRecords } from './records';
import type { ProjectReader } from './records';
import type { VendorDirectory } from './vendor-directory';

/** Some records of a part. */
export interface PartPage {
  readonly records: readonly SourceRecord[];
  /** Where the part goes on after them. */
  readonly state: PartState;
  /** What of the part could not be read, in words; nothing is concluded from an absence in it then. */
  readonly gaps: readonly string[];
}

/** What a part is read with. */
export interface PartReader {
  readonly session: Session;
  readonly vendors: VendorDirectory;
  /** The project; empty for a scope of the company. */
  readonly part: string;
  /** The range of times in which records changed that are wanted; undefined for all records. */
  readonly changed: string | undefined;
}

export type ReadPart = (reader: PartReader, from: PartState) => AsyncGenerator<PartPage, void, undefined>;

/** Contracts that are completed between two pages; each may take a call of its own. */
const CHUNK = 20;

/** How each scope is read: those of the company as one part, the others project by project. */
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
  // This list knows no times; it is short.
  const path = paths.inactiveVendors(session.settings.company_id);
  const first = listAt(session, path, storedViews.vendors);
  for await (const page of readStep(session, first, from, { step: 1, name: 'inactive vendors' })) {
    yield { ...page, records: page.rows.map(toRecord) };
  }
}

async function* readContracts(reader: PartReader, from: PartState): AsyncGenerator<PartPage> {
  const { session, part: project, changed } = reader;
  const query = [...ofProject(project), ...storedViews.contracts, ...changedWithin(changed)];
  for (const [step, kind] of contractKinds.entries()) {
    if (step < from.step) continue;
    const first = listAt(session, kind.path, query);
    const complete = (rows: readonly JsonObject[]): Promise<ReadRecords> =>
      contractRecords({ ...reader, project }, kind, rows);
    for await (const page of readStep(session, first, from, { step, name: kind.name })) {
      yield* inChunks(page, complete);
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

/** Payments stand under their contracts. Their lists know no times, so those of contracts that changed are read. */
async function* readPayments(reader: PartReader, from: PartState): AsyncGenerator<PartPage> {
  const { session, part: project, changed } = reader;
  const { contracts, gaps } = await contractIds({ session, project }, changed);
  const [last] = from.done;
  const left = last === undefined ? contracts : contracts.filter((id) => compareIds(id, last) > 0);
  if (gaps.length > 0) yield { records: [], state: from, gaps };
  for (let at = 0; at < left.length; at += CHUNK) {
    const chunk = left.slice(at, at + CHUNK);
    const read = await eachAtOnce(chunk, (contract) => paymentRecords({ session, project }, contract));
    yield {
      records: read.flatMap(({ records }) => records),
      state: { step: 0, list: null, done: chunk.slice(-1) },
      gaps: read.flatMap((one) => one.gaps),
    };
  }
}

async function contractIds(
  { session, project }: Pick<ProjectReader, 'session' | 'project'>,
  changed: string | undefined,
): Promise<{ readonly contracts: readonly string[]; readonly gaps: readonly string[] }> {
  const query: Query = [...ofProject(project), ['view', 'compact'], ...changedWithin(changed)];
  const contracts: string[] = [];
  const gaps: string[] = [];
  for (const { path, name } of contractKinds) {
    try {
      const { rows, whole } = await readWhole(session, listAt(session, path, query));
      contracts.push(...rows.flatMap((row) => idText(ownMember(row, 'id')) ?? []));
      if (!whole) gaps.push(`contract_payments of ${name} (${CHANGED})`);
    } catch (error) {
      if (!(error instanceof NotReadable)) throw error;
      gaps.push(`contract_payments of ${name} (${error.why})`);
    }
  }
  return { contracts: contracts.sort(compareIds), gaps };
}

interface Step {
  readonly step: number;
  /** As gaps name the list. */
  readonly name: string;
  /** Whether nothing can be read without it. */
  readonly isNeeded?: boolean;
}

/** A page of one of the lists of a part: rows that have not been given yet. */
type StepPage = Omit<PartPage, 'records'> & { readonly rows: readonly JsonObject[]; readonly at: PartState };

async function* readStep(
  session: Session,
  first: ListState,
  from: PartState,
  { step, name, isNeeded = false }: Step,
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
    // A list that is read twice shows most of its rows again.
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

/** The records of a page, a chunk at a time, so that what each took is kept soon. */
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

function changedWithin(range: string | undefined): Query {
  return range === undefined ? [] : [['filters[updated_at]', range]];
}
