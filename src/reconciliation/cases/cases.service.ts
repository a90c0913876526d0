import { transactionTime } from '../../database/transaction/database-time';
import { Injectable } from '@nestjs/common';
import type { PlatformName } from '@app/mapper';
import { getCustomer } from '../../auth/customers/customers.repository';
import type { CustomerTransaction } from '../../database/transaction/store';
import { LONG_SNAPSHOT, UnitOfWork } from '../../database/transaction/unit-of-work';
import { invalidInput } from '../../common/errors/api-error';
import { WAIT_LIMIT_MS } from '../../runtime/fairness/admission';
import { ResponseMemory, MADE_OF_STORED } from '../../common/response/memory/response-memory';
import { PAGE_SIZE, Paged, type PagedQuery } from '../../common/paging/paging';
import { CustomerTimes } from '../../common/paging/customer-times';
import { RecentCounts } from '../../common/paging/recent-counts';
import type { PendingResponse } from '../../common/response/memory/pending-response';
import type { CaseKind } from '../../records/events/case-kinds';
import { settledTime } from '../../records/history/settled-time.repository';
import type { CaseResponse } from './case-by-kind.response';
import type { CaseFacets } from './cases.response';
import { caseCursors, positionOf, type CasePosition } from './listing/case-order';
import { hasClosed, type CaseFilter, type ClosedBetween } from './listing/case-relation';
import { CASE_BYTES, isWhole } from './listing/case-row';
import { countCases, readCases, type CaseCount } from './listing/cases.repository';
import { PastCases } from './listing/past-cases';
import { facetsFrom } from './showing/case-record';
import { REASON_BYTES, ShownCases } from './showing/shown-cases';
import { platformPairs } from '../comparisons/comparison';
import { Freshness } from '../freshness/freshness';
import { projectNamed } from '../statement/projects.repository';
import { comparisonContext } from '../comparisons/stored/comparison-context.repository';
import type { CasesQuery, CaseSort } from '../statement/statement.dto';
import { pairOf } from '../statement/statement-scope';

/** Kinds of which each pair of platforms has cases of its own, although each is about one record. */
const ofPair: ReadonlySet<CaseKind> = new Set(['only_on', 'ambiguous', 'other_project']);

/** Memory that is reserved for a page until it is made. */
const PAGE_MEMORY = MADE_OF_STORED * (CASE_BYTES + REASON_BYTES);

/** The cases of one moment, page by page. */
export interface CasePages {
  readonly facets: CaseFacets;
  /** In UTC, with microseconds. */
  readonly asOf: string;
  readonly pages: AsyncIterable<readonly CaseResponse[]>;
}

/** A page of cases, and the input of the next one. */
interface CasePage {
  readonly cases: readonly CaseResponse[];
  readonly next: CasePosition | undefined;
  readonly counts: readonly CaseCount[] | undefined;
}

/** The list of a page, its position, and the most cases that it may have. */
interface PagePlace {
  readonly sort: CaseSort;
  readonly after: CasePosition | undefined;
  readonly size: number;
  readonly counted: boolean;
  /** The mark of the last refresh that counts, for a list of several pages of one moment. */
  readonly refreshed?: string | undefined;
}

/** The cases between two platforms that need a person's attention. */
@Injectable()
export class CasesService {
  private readonly recent = new RecentCounts<readonly CaseCount[]>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly freshness: Freshness,
    private readonly memory: ResponseMemory,
    private readonly past: PastCases,
    private readonly times: CustomerTimes,
    private readonly shown: ShownCases,
  ) {}

  /**
   * One page of cases, and the numbers of all cases of the list unless the query leaves them out. They are counted with
   * the first page of the list, and with a later page only if this instance does not remember them.
   *
   * @throws ApiError NOT_FOUND if the project does not exist; VALIDATION_ERROR for a cursor of another list, and for
   *   parameters that exclude each other; for a past time, the errors of {@link PastCases.page}
   * @throws Overloaded if no memory becomes free
   */
  async page(
    customerId: string,
    query: CasesQuery,
    answer: PendingResponse,
  ): Promise<Paged<readonly CaseResponse[]>> {
    const { cursor, limit } = query;
    const asked = parametersOf(query);
    const sort = sortOf(query);
    const cursors = caseCursors[sort];
    const after = cursor === undefined ? undefined : cursors.decode(customerId, asked, cursor);
    const list = `${customerId} ${JSON.stringify(asked)}`;
    const wanted = query.facets !== false;
    const known = after === undefined ? undefined : this.recent.of(list);
    const place = { sort, after, size: limit ?? PAGE_SIZE.usual, counted: wanted && known === undefined };
    const { cases, next, counts } = await (query.as_of === undefined
      ? this.presentPage(customerId, query, place, answer)
      : this.pageAt(customerId, query, await this.pastTime(customerId, query, query.as_of), place, answer));
    const nextCursor = next === undefined ? null : cursors.encode(customerId, asked, next);
    if (counts !== undefined) this.recent.keep(list, counts);
    return new Paged(cases, nextCursor, wanted ? { facets: facetsFrom(counts ?? known ?? []) } : {});
  }

  /**
   * All cases of a query at a time, page by page. Each page is a short separate read, and all pages show the same
   * moment, however slowly the client reads them.
   *
   * @param time in UTC, with microseconds; the past, or {@link moment}
   * @param answer holds the memory of one page at a time; absent for an operator's list
   * @throws ApiError as {@link PastCases.page} does, before the first page; Overloaded if no memory becomes free
   */
  async all(
    customerId: string,
    query: CasesQuery,
    time: string,
    answer?: PendingResponse,
  ): Promise<CasePages> {
    const place = { sort: sortOf(query), size: PAGE_SIZE.most };
    if (hasClosed(query.state)) await this.freshness.follow(customerId);
    const first = await this.pageAt(
      customerId,
      query,
      time,
      { ...place, after: undefined, counted: true },
      answer,
    );
    const { refreshed } = first;
    const read = (after: CasePosition) =>
      this.pageAt(customerId, query, time, { ...place, after, counted: false, refreshed }, answer);
    const facets = facetsFrom(first.counts ?? []);
    return { facets, asOf: time, pages: pagesFrom(first, facets.total, read) };
  }

  /** A moment for a file: settled, and as late as possible. */
  moment(customerId: string): Promise<string> {
    return this.unitOfWork.runFor(customerId, (tx) => settledTime(tx), { readOnly: true });
  }

  /**
   * Every case of a customer, of all pairs of platforms. It waits until the cases are current, which suits operators.
   *
   * @throws ApiError NOT_FOUND if the customer does not exist, before the first page
   */
  async *list(customerId: string): AsyncGenerator<readonly CaseResponse[], void, undefined> {
    await this.read(customerId, (tx) => getCustomer(tx));
    await this.freshness.follow(customerId, Infinity);
    const time = await this.moment(customerId);
    const seen = new Set<PlatformName>();
    for (const [left, right] of platformPairs()) {
      const { pages } = await this.all(customerId, { platforms: `${left},${right}`, sort: 'type' }, time);
      for await (const cases of pages) {
        // A case of one record belongs to several pairs.
        yield cases.filter(
          ({ kind, platform }) => ofPair.has(kind) || platform === null || !seen.has(platform),
        );
      }
      seen.add(left).add(right);
    }
  }

  private async presentPage(
    customerId: string,
    query: CasesQuery,
    { sort, after, size, counted }: PagePlace,
    answer: PendingResponse,
  ): Promise<CasePage> {
    await this.freshness.follow(customerId);
    await this.memory.reserve(answer, PAGE_MEMORY);
    const between = await this.betweenOf(customerId, query);
    return this.read(customerId, async (tx) => {
      const filter = await filterOf(tx, query);
      const asOf = after?.[0] ?? (await transactionTime(tx.store)).getTime();
      const { state } = filter;
      const source = hasClosed(state)
        ? ({ of: 'present', state, between } as const)
        : ({ of: 'present', state: 'open' } as const);
      const known = await comparisonContext(tx);
      const counts = counted ? await countCases(tx, filter, asOf, source) : undefined;
      // A filter that no case passes would have all cases read.
      const isEmpty = counts !== undefined && facetsFrom(counts).total === 0;
      const rows = isEmpty ? [] : await readCases(tx, filter, { asOf, sort, after, limit: size + 1 }, source);
      const whole = rows.slice(0, size).filter(isWhole);
      const cases = await this.shown.page(tx, whole, { asOf, list: listOf(query), known });
      const last = rows.length > cases.length ? whole[cases.length - 1] : undefined;
      return {
        cases,
        next: last && positionOf(last, sort, asOf),
        counts,
      };
    });
  }

  private async pageAt(
    customerId: string,
    query: CasesQuery,
    time: string,
    { sort, after, size, counted, refreshed: upTo }: PagePlace,
    answer?: PendingResponse,
  ): Promise<CasePage & { readonly refreshed: string | undefined }> {
    // A response that has begun can no longer be refused, only cut off.
    const waitLimitMs = after === undefined ? WAIT_LIMIT_MS.short : WAIT_LIMIT_MS.long;
    if (answer !== undefined) await this.memory.reserve(answer, PAGE_MEMORY, waitLimitMs);
    const asOf = Date.parse(time);
    const { rows, counts, shown, refreshed } = await this.past.page(
      customerId,
      time,
      {
        filterAt: (tx) => filterOf(tx, query, time),
        sort,
        after,
        limit: size + 1,
        counted,
        between: await this.betweenOf(customerId, query),
        refreshed: upTo,
      },
      async (tx, found, known) => {
        const whole = found.slice(0, size).filter(isWhole);
        const cases = await this.shown.page(tx, whole, { asOf, time, list: listOf(query), known });
        return { cases, last: whole[cases.length - 1] };
      },
      answer?.gone,
    );
    const { cases, last } = shown;
    const hasMore = rows.length > cases.length && last !== undefined;
    return { cases, next: hasMore ? positionOf(last, sort, asOf) : undefined, counts, refreshed };
  }

  /** The cases that were closed at a time are known once the comparisons include the changes until then. */
  private async pastTime(customerId: string, query: CasesQuery, asOf: string): Promise<string> {
    if (hasClosed(query.state)) await this.freshness.follow(customerId);
    return this.times.last(customerId, asOf);
  }

  private async betweenOf(
    customerId: string,
    { closed_since: since, closed_until: until }: CasesQuery,
  ): Promise<ClosedBetween> {
    return {
      since: since === undefined ? undefined : await this.times.first(customerId, since),
      until: until === undefined ? undefined : await this.times.last(customerId, until),
    };
  }

  private read<T>(customerId: string, work: (tx: CustomerTransaction) => Promise<T>): Promise<T> {
    return this.unitOfWork.runFor(customerId, work, LONG_SNAPSHOT);
  }
}

/** The parameters that the cursors of a query are bound to. */
function parametersOf({ cursor: _, limit: __, head: ___, facets: ____, ...asked }: CasesQuery): PagedQuery {
  return asked;
}

async function* pagesFrom(
  first: CasePage,
  total: number,
  read: (after: CasePosition) => Promise<CasePage>,
): AsyncGenerator<readonly CaseResponse[], void, undefined> {
  let given = 0;
  for (let page: CasePage | undefined = first; page !== undefined;) {
    given += page.cases.length;
    yield page.cases;
    const after: CasePosition | undefined = page.next;
    page = after && (await read(after));
  }
  // A truncated file is detectable. A file whose number of lines contradicts its head is not.
  if (given !== total) throw new Error(`A list of ${total} cases came to ${given}`);
}

/** @param time in the past, at which the project had its ID; now unless given */
async function filterOf(tx: CustomerTransaction, query: CasesQuery, time?: string): Promise<CaseFilter> {
  const [left, right] = pairOf(query.platforms);
  return {
    left,
    right,
    kind: query.kind,
    entityType: query.entity_type,
    platform: query.platform,
    projectId: await projectNamed(tx, query.project_id, time),
    field: query.field,
    currency: query.currency,
    age: query.age,
    ageBy: query.age_by ?? 'seen',
    through: query.through,
    state: query.state ?? 'open',
    owner: query.owner,
  };
}

function listOf({ project_id: project }: CasesQuery): 'project' | 'all' {
  return project === undefined ? 'all' : 'project';
}

/** @throws ApiError VALIDATION_ERROR for an order or a time that the listed cases do not have */
function sortOf({ state = 'open', sort, closed_since, closed_until }: CasesQuery): CaseSort {
  const isClosed = state === 'closed';
  const problems = [
    !isClosed && sort === 'closed' && 'sort=closed is for state=closed',
    !isClosed && closed_since !== undefined && 'closed_since is for state=closed',
    !isClosed && closed_until !== undefined && 'closed_until is for state=closed',
  ].filter((problem) => problem !== false);
  if (problems.length > 0) throw invalidInput(problems);
  return sort ?? (isClosed ? 'closed' : 'age');
}
