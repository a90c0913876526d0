import { ownMember, type StoredEntityType } from '@app/mapper';
import type { CallBudget, ReadScope } from '../../../connector';
import { reserveOf, type GateRules } from '../../pacing/rules';
import { companyWide } from '../wire/company-wide';
import { idText } from '../wire/ids';
import { listAt, PER_PAGE } from '../wire/list';
import { NotReadable, readPage } from '../wire/read-page';
import { contractKinds, ofCompany, ofProject, paths, PROJECTS_PER_PAGE } from '../wire/resources';
import type { Query, Session } from '../wire/session';
import { cursorIn } from './position';
import { visibleProjects } from './visible-projects';

/** Projects whose records are counted; the others are taken to be like them. */
const SAMPLE = 5;

/** Lists of one project, on average. */
interface Sizes {
  readonly contracts: number;
  readonly requisitions: number;
  /** Whether contracts are listed without their lines, which then take a call for each. */
  readonly linesApart: boolean;
}

/**
 * Estimates the calls of a reading from the lengths of some lists.
 *
 * @throws PlatformError
 */
export async function callBudget(
  session: Session,
  scopes: readonly ReadScope[],
  rules: GateRules,
): Promise<CallBudget> {
  const { ids } = await visibleProjects(session);
  const query = [...ofCompany(session), ['view', 'compact']] as const;
  const vendors = await companyWide(session, lengthOf(session, paths.vendors, query));
  const every = Math.max(1, Math.ceil(ids.length / SAMPLE));
  const sample = ids.filter((_, place) => place % every === 0);
  const measured: Sizes[] = [];
  for (const project of sample) measured.push(await sizesOf(session, project));
  const average = (size: (sizes: Sizes) => number): number =>
    measured.length === 0 ? 0 : measured.reduce((sum, sizes) => sum + size(sizes), 0) / measured.length;

  const projectPages = pagesOf(ids.length, PROJECTS_PER_PAGE);
  const vendorPages = pagesOf(vendors, PER_PAGE) + 1;
  const contractPages = average(({ contracts }) => pagesOf(contracts / 2) * 2);
  const wholly: Readonly<Record<StoredEntityType, number>> = {
    project: 0,
    customer: vendorPages,
    // Pages of both kinds, the directory of vendors, and the lines.
    contract: contractPages + 1 + average(({ contracts, linesApart }) => (linesApart ? contracts : 0)),
    invoice: average(({ requisitions }) => pagesOf(requisitions) * 2),
    payment: average(({ contracts }) => contracts),
  };
  // Of changes there are few: each list takes a page. What was paid on a contract is seen in the whole list of contracts.
  const changes: typeof wholly = { project: 0, customer: 2, contract: contractPages, invoice: 1, payment: 0 };
  let calls = 0;
  for (const { entityType, since } of scopes) {
    const each = (cursorIn(since) === undefined ? wholly : changes)[entityType];
    const isOfCompany = entityType === 'project' || entityType === 'customer';
    calls += isOfCompany ? each : each * ids.length;
    // All but vendors need to know the projects; contracts need the vendors as well.
    if (entityType !== 'customer') calls += projectPages;
    if (entityType === 'contract') calls += vendorPages;
  }
  return { calls: Math.ceil(calls), minutesAtLimit: minutesFor(Math.ceil(calls), rules) };
}

/** How long so many calls take at least, in minutes, when nothing else is called. */
export function minutesFor(calls: number, { windows }: GateRules): number {
  const minutes = windows.map((window) => {
    const most = window.limit - reserveOf(window, window.limit);
    return (Math.floor(Math.max(0, calls - 1) / most) * window.lengthMs) / 60_000;
  });
  return Math.ceil(Math.max(0, ...minutes) * 10) / 10;
}

function pagesOf(rows: number, perPage = PER_PAGE): number {
  return Math.max(1, Math.ceil(rows / perPage));
}

async function sizesOf(session: Session, project: string): Promise<Sizes> {
  let contracts = 0;
  let linesApart = false;
  for (const { path } of contractKinds) {
    const query: Query = [...ofProject(project), ['view', 'extended']];
    const page = await readable(readPage(session, listAt(session, path, query, 1).url));
    contracts += page === undefined ? 0 : (page.total ?? page.rows.length);
    linesApart ||= page?.rows.some((row) => ownMember(row, 'line_items') === undefined) ?? false;
  }
  const requisitions = await readable(lengthOf(session, paths.requisitions, ofProject(project)));
  return { contracts, requisitions: requisitions ?? 0, linesApart };
}

async function lengthOf(session: Session, path: string, query: Query): Promise<number> {
  const { total, rows } = await readPage(session, listAt(session, path, query, 1).url);
  return total ?? rows.filter((row) => idText(row['id']) !== undefined).length;
}

async function readable<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NotReadable) return undefined;
    throw error;
  }
}
