import { isJsonArray, ownMember, type StoredEntityType } from '@app/mapper';
import type { CallBudget, ReadScope } from '../../connector';
import { reserveOf, type RateLimitRules } from '../../live/pacing/rules';
import { companyWide } from '../wire/company-wide';
import { idText } from '../wire/ids';
import { listAt, PER_PAGE } from '../wire/list';
import { NotReadable, readPage } from '../wire/read-page';
import {
  contractKinds,
  ofCompany,
  ofProject,
  paths,
  PROJECTS_PER_PAGE,
  storedViews,
} from '../wire/resources';
import type { Query, Session } from '../wire/session';
import { cursorIn } from './position';
import { visibleProjects } from './visible-projects';

/** Projects whose records are counted. The estimate assumes that the other projects are similar. */
const SAMPLE = 5;

/** Calls for reading one project. */
interface ProjectCalls {
  /** Calls for the lists of its contracts. */
  readonly contractPages: number;
  /** Calls for its contracts, with their lines and the directory of vendors. */
  readonly contract: number;
  readonly invoice: number;
  readonly payment: number;
}

/**
 * Estimates the calls of a reading from the lengths of some lists. If there are many projects, only a sample is
 * counted, so the error grows with the differences between projects.
 *
 * @throws PlatformError
 */
export async function callBudget(
  session: Session,
  scopes: readonly ReadScope[],
  rules: RateLimitRules,
): Promise<CallBudget> {
  const { ids } = await visibleProjects(session);
  const query = [...ofCompany(session), ['view', 'compact']] as const;
  const vendors = await companyWide(session, lengthOf(session, paths.vendors, query));
  const counted: ProjectCalls[] = [];
  for (const project of sampleOf(ids, SAMPLE)) counted.push(await callsOf(session, project));
  const inAll = (kind: keyof ProjectCalls): number =>
    (counted.reduce((sum, calls) => sum + calls[kind], 0) * ids.length) / Math.max(1, counted.length);

  const projectPages = pagesOf(ids.length, PROJECTS_PER_PAGE);
  const vendorPages = pagesOf(vendors, PER_PAGE) + 1;
  const wholly: Readonly<Record<StoredEntityType, number>> = {
    project: projectPages,
    customer: vendorPages,
    contract: inAll('contract'),
    invoice: inAll('invoice'),
    payment: inAll('payment'),
  };
  // A reading of changes finds few records, so each list takes one page. Payments of a contract are detected in the
  // complete list of contracts.
  const changes: typeof wholly = {
    project: 1,
    customer: 2,
    contract: inAll('contractPages'),
    invoice: ids.length,
    payment: 0,
  };
  let calls = 0;
  for (const { entityType, since } of scopes) {
    calls += (cursorIn(since) === undefined ? wholly : changes)[entityType];
    // All types but vendors need the projects. Contracts also need the vendors.
    if (entityType !== 'customer') calls += projectPages;
    if (entityType === 'contract') calls += vendorPages;
  }
  return { calls: Math.ceil(calls), minutesAtLimit: minutesFor(Math.ceil(calls), rules) };
}

/** Minimum duration of this number of calls, in minutes, if the account makes no other calls. */
function minutesFor(calls: number, { windows }: RateLimitRules): number {
  const minutes = windows.map((window) => {
    const most = window.limit - reserveOf(window, window.limit);
    return (Math.floor(Math.max(0, calls - 1) / most) * window.lengthMs) / 60_000;
  });
  return Math.ceil(Math.max(0, ...minutes) * 10) / 10;
}

function pagesOf(rows: number, perPage = PER_PAGE): number {
  return Math.max(1, Math.ceil(rows / perPage));
}

/**
 * A sample of this size, or all projects if there are fewer. The list is divided into as many stretches, and the middle
 * of each is taken, because the oldest projects are seldom like the latest.
 */
export function sampleOf(projects: readonly string[], size: number): readonly string[] {
  const count = Math.min(size, projects.length);
  return Array.from({ length: count }, (_, stretch) =>
    Math.floor(((stretch + 0.5) * projects.length) / count),
  ).flatMap((place) => projects[place] ?? []);
}

async function callsOf(session: Session, project: string): Promise<ProjectCalls> {
  let [contracts, contractPages, lines] = [0, 0, 0];
  for (const { path } of contractKinds) {
    const query = [...ofProject(project), ...storedViews.contracts];
    const list = await measured(session, path, query, 'line_items');
    contracts += list.rows;
    contractPages += list.pages;
    if (list.isApart) lines += list.rows;
  }
  const query = [...ofProject(project), ...storedViews.requisitions];
  const requisitions = await measured(session, paths.requisitions, query, 'items');
  return {
    contractPages,
    // A project without contracts has no vendors to look up.
    contract: contractPages + (contracts > 0 ? 1 : 0) + lines,
    invoice: requisitions.pages * (requisitions.isApart ? 2 : 1),
    payment: contracts,
  };
}

/** The measured list of a project. */
interface Measured {
  readonly rows: number;
  readonly pages: number;
  /** Whether the list omits a part of each row, so that the part takes calls of its own. */
  readonly isApart: boolean;
}

/** Measures a list by its first row. A list that the account may not read costs the call that reports this. */
async function measured(session: Session, path: string, query: Query, part: string): Promise<Measured> {
  try {
    const { total, rows } = await readPage(session, listAt(session, path, query, 1).url);
    const count = total ?? rows.length;
    const isApart = rows.some((row) => !isJsonArray(ownMember(row, part)));
    return { rows: count, pages: pagesOf(count), isApart };
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
    return { rows: 0, pages: 1, isApart: false };
  }
}

async function lengthOf(session: Session, path: string, query: Query): Promise<number> {
  const { total, rows } = await readPage(session, listAt(session, path, query, 1).url);
  return total ?? rows.filter((row) => idText(row['id']) !== undefined).length;
}
