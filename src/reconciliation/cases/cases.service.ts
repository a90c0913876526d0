import { transactionTime } from '../../database/transaction/database-time';
import { Inject, Injectable } from '@nestjs/common';
import {
  ComparedRecords,
  type ComparedField,
  type PlatformName,
  type RateQuote,
  type FieldReading,
} from '@app/mapper';
import { getCustomer } from '../../auth/customers/customers.repository';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import type { CustomerTransaction } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { ApiError, invalidInput } from '../../common/errors/api-error';
import { WAIT_LIMIT_MS } from '../../runtime/fairness/admission';
import { AnswerMemory, MADE_OF_STORED, NeedsRoom } from '../../common/response/memory/answer-memory';
import { PAGE_SIZE, Paged, type PagedQuery } from '../../common/paging/paging';
import { CustomerTimes } from '../../common/paging/customer-times';
import type { PendingAnswer } from '../../common/response/memory/pending-answer';
import { settledTime } from '../../records/changes/settled-time.repository';
import { loadObjects, storedBytes } from '../../records/objects/stored-objects.repository';
import { caseFrom, facetsFrom } from './case-record';
import type {
  CaseResponse,
  CaseDetailResponse,
  CaseFacets,
  CaseCandidate,
  ComparedFieldResponse,
  ComparedValue,
} from './cases.response';
import {
  CASE_BYTES,
  caseCursors,
  countCases,
  findCase,
  isWhole,
  openPeriods,
  positionOf,
  readCases,
  type CaseFilter,
  type CasePosition,
  type CaseRow,
  type CaseSource,
  type ClosedFilter,
} from './cases.repository';
import { HISTORY_EVENTS } from '../reviews/case-event.response';
import { historyOf, type HistorySources } from '../reviews/case-history';
import { latestNotes } from '../reviews/case-notes.repository';
import { readReviews, reviewVersions } from '../reviews/case-reviews.repository';
import { timeOfMilliseconds, unreviewed, type Review } from '../reviews/review';
import { platformPairs } from '../comparisons/comparison';
import { Freshness } from '../statement/freshness/freshness';
import { RecentCounts } from './recent-counts';
import { PastCases, type PastCasesPage, type PastCasesQuery } from './past-cases';
import { projectNamed } from '../statement/projects.repository';
import type { LoadedObject } from '../../records/loaded-object';
import { currencyOfCases, comparisonContext } from '../comparisons/comparison-context.repository';
import type { CasesQuery, CaseSort } from '../statement/statement.dto';
import { pairOf } from '../statement/statement.service';

/** Maximum bytes of the reasons that a page shows. Its first case is always included. */
const REASON_BYTES = 512 * 1024;

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
}

type WantedAt = Pick<PastCasesQuery, 'filterAt' | 'sort'> & { readonly list: 'project' | 'all' };

/** Where a page begins, and how many cases it has at most. */
interface PagePlace {
  readonly sort: CaseSort;
  readonly after: CasePosition | undefined;
  readonly size: number;
}

type CasePageAt = CasePage & Pick<PastCasesPage, 'counts'>;

/** The cases between two platforms that need a person's attention. */
@Injectable()
export class CasesService {
  private readonly recent = new RecentCounts();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly freshness: Freshness,
    private readonly memory: AnswerMemory,
    private readonly past: PastCases,
    private readonly times: CustomerTimes,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'defaultCurrency'>,
  ) {}

  /**
   * One page of cases, and the numbers of all cases of the list. These are counted with its first page.
   *
   * @throws ApiError NOT_FOUND if the project does not exist; VALIDATION_ERROR for a cursor of another list, and for
   *   parameters that exclude each other; as {@link PastCases.page} does for a time in the past
   * @throws Overloaded if no memory becomes free
   */
  async page(
    customerId: string,
    query: CasesQuery,
    answer: PendingAnswer,
  ): Promise<Paged<readonly CaseResponse[]>> {
    const { cursor, limit } = query;
    const asked = parametersOf(query);
    const sort = sortOf(query);
    const cursors = caseCursors[sort];
    const after = cursor === undefined ? undefined : cursors.decode(customerId, asked, cursor);
    const size = limit ?? PAGE_SIZE.usual;
    const list = `${customerId} ${JSON.stringify(asked)}`;
    const known = after === undefined ? undefined : this.recent.of(list);
    const place = { sort, after, size, counted: known === undefined };
    const { cases, next, counts } = await (query.as_of === undefined
      ? this.presentPage(customerId, query, place, answer)
      : this.pastPage(customerId, query, await this.times.last(customerId, query.as_of), place, answer));
    const nextCursor = next === undefined ? null : cursors.encode(customerId, asked, next);
    if (counts !== undefined) this.recent.keep(list, counts);
    return new Paged(cases, nextCursor, { facets: facetsFrom(counts ?? known ?? []) });
  }

  private async presentPage(
    customerId: string,
    query: CasesQuery,
    page: PagePlace & { readonly counted: boolean },
    answer: PendingAnswer,
  ): Promise<CasePageAt> {
    await this.freshness.follow(customerId);
    await this.memory.reserve(answer, PAGE_MEMORY);
    return this.pageNow(customerId, query, page);
  }

  /** A page of a file. */
  private async closedPage(
    customerId: string,
    query: CasesQuery,
    page: PagePlace & { readonly asOf: number },
    answer?: PendingAnswer,
  ): Promise<CasePageAt> {
    await this.reserve(page.after, answer);
    return this.pageNow(customerId, query, { ...page, counted: page.after === undefined });
  }

  private async pageNow(
    customerId: string,
    query: CasesQuery,
    page: PagePlace & { readonly asOf?: number; readonly counted: boolean },
  ): Promise<CasePageAt> {
    const closed = await this.closedOf(customerId, query);
    return this.read(customerId, async (tx) => {
      const filter = await filterOf(tx, query);
      const asOf = page.asOf ?? page.after?.[0] ?? (await transactionTime(tx.store)).getTime();
      const source = { closed };
      const shown = await this.pageIn(tx, filter, { ...page, asOf }, source);
      return { ...shown, counts: page.counted ? await countCases(tx, filter, asOf, source) : undefined };
    });
  }

  // A response that has begun can no longer be refused, only cut off.
  private async reserve(after: CasePosition | undefined, answer?: PendingAnswer): Promise<void> {
    const waitLimitMs = after === undefined ? WAIT_LIMIT_MS.short : WAIT_LIMIT_MS.long;
    if (answer !== undefined) await this.memory.reserve(answer, PAGE_MEMORY, waitLimitMs);
  }

  private async pastPage(
    customerId: string,
    query: CasesQuery,
    time: string,
    { sort, after, size, counted }: PagePlace & { readonly counted: boolean },
    answer: PendingAnswer,
  ): Promise<CasePageAt> {
    const page = { ...wantedAt(query, time, sort), after, counted, size };
    return this.pageAt(customerId, time, page, answer);
  }

  /**
   * All cases of a query at a time, page by page. Each page is a short separate read, and all pages show the same
   * moment, however slowly the client reads them. Closed cases are those of the moment of each page; a case that opens
   * again meanwhile breaks the list off.
   *
   * @param time in UTC, with microseconds; the past, or {@link moment}
   * @param answer holds the memory of one page at a time; absent for an operator's list
   * @throws ApiError as {@link PastCases.page} does, before the first page; Overloaded if no memory becomes free
   */
  async all(customerId: string, query: CasesQuery, time: string, answer?: PendingAnswer): Promise<CasePages> {
    const sort = sortOf(query);
    const isOpen = query.state === undefined || query.state === 'open' || query.state === 'accepted';
    const size = PAGE_SIZE.most;
    const read = (after: CasePosition | undefined): Promise<CasePageAt> =>
      isOpen
        ? this.pageAt(
            customerId,
            time,
            { ...wantedAt(query, time, sort), after, counted: after === undefined, size },
            answer,
          )
        : this.closedPage(customerId, query, { sort, after, size, asOf: Date.parse(time) }, answer);
    const first = await read(undefined);
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
          ({ kind, platform, missing_on }) =>
            missing_on !== undefined || kind === 'other_project' || platform === null || !seen.has(platform),
        );
      }
      seen.add(left).add(right);
    }
  }

  /**
   * One case with all its data for a decision.
   *
   * @throws ApiError NOT_FOUND without such a case, open or closed; Overloaded if no memory becomes free
   */
  async get(customerId: string, id: string, answer: PendingAnswer): Promise<CaseDetailResponse> {
    await this.freshness.follow(customerId);
    return this.memory.withRoom(answer, (room) => this.find(customerId, id, room));
  }

  private find(customerId: string, id: string, room: number): Promise<CaseDetailResponse | NeedsRoom> {
    return this.read(customerId, async (tx) => {
      const row = await findCase(tx, id);
      if (row === undefined) throw new ApiError('NOT_FOUND', 'No case has this ID');
      const { terms, currencies } = await comparisonContext(tx);
      const asOf = (await transactionTime(tx.store)).getTime();
      const history = await this.historySources(tx, id);
      const found = caseFrom(
        row,
        currencyOfCases(currencies, this.environment.defaultCurrency),
        asOf,
        history.reviews[0] ?? unreviewed,
      );
      const ids = [row.object_id, ...found.candidates.map(({ canonical_id }) => canonical_id)];
      const bytes = (await storedBytes(tx, ids)) + bytesOfHistory(history);
      if (bytes > room) return new NeedsRoom(bytes);
      const objects = new Map((await loadObjects(tx, ids)).map((one) => [one.id, one]));
      const own = objects.get(row.object_id);
      const pair = [row.left_platform, row.right_platform] as const;
      return {
        ...found,
        history: historyOf(history, timeOfMilliseconds(asOf)),
        compared: own === undefined ? [] : comparedFields(own, pair, terms.rates),
        candidates: found.candidates.map((candidate): CaseCandidate => {
          const other = objects.get(candidate.canonical_id);
          const both = own && other && joined(own, other, candidate.platform);
          return {
            ...candidate,
            compared: both === undefined ? [] : comparedFields(both, pair, terms.rates),
          };
        }),
      };
    });
  }

  private async historySources(tx: CustomerTransaction, id: string): Promise<HistorySources> {
    const most = HISTORY_EVENTS + 1;
    const [periods, reviews, notes] = await Promise.all([
      openPeriods(tx, id, most),
      reviewVersions(tx, id, most),
      latestNotes(tx, id, most),
    ]);
    return { periods, reviews, notes };
  }

  private async pageAt(
    customerId: string,
    time: string,
    { list, size, ...page }: WantedAt & Pick<PastCasesQuery, 'after' | 'counted'> & { readonly size: number },
    answer?: PendingAnswer,
  ): Promise<CasePageAt> {
    const { after, sort } = page;
    await this.reserve(after, answer);
    const query = { ...page, limit: size + 1 };
    const { rows, counts, reviews, currency } = await this.past.page(customerId, time, query, answer?.gone);
    const asOf = Date.parse(time);
    const shown = thatFit(rows.slice(0, size).filter(isWhole), reviews);
    const last = shown.at(-1);
    return {
      cases: shown.map((row) => caseFrom(row, currency, asOf, reviews.get(row.id) ?? unreviewed, list)),
      next: rows.length > shown.length && last !== undefined ? positionOf(last, sort, asOf) : undefined,
      counts,
    };
  }

  private async pageIn(
    tx: CustomerTransaction,
    filter: CaseFilter,
    { asOf, after, size, sort }: PagePlace & { readonly asOf: number },
    source: CaseSource,
  ): Promise<CasePage> {
    const { currencies } = await comparisonContext(tx);
    const rows = await readCases(tx, filter, { asOf, sort, after, limit: size + 1 }, source);
    const whole = rows.slice(0, size).filter(isWhole);
    const reviews = await readReviews(
      tx,
      whole.map(({ id }) => id),
    );
    const shown = thatFit(whole, reviews);
    const last = shown.at(-1);
    const list = filter.projectId === undefined ? 'all' : 'project';
    const currency = currencyOfCases(currencies, this.environment.defaultCurrency);
    return {
      cases: shown.map((row) => caseFrom(row, currency, asOf, reviews.get(row.id) ?? unreviewed, list)),
      next: rows.length > shown.length && last !== undefined ? positionOf(last, sort, asOf) : undefined,
    };
  }

  private async closedOf(
    customerId: string,
    { state, closed_since: since, closed_until: until }: CasesQuery,
  ): Promise<ClosedFilter | undefined> {
    if (state === undefined || state === 'open' || state === 'accepted') return undefined;
    return {
      state,
      since: since === undefined ? undefined : await this.times.first(customerId, since),
      until: until === undefined ? undefined : await this.times.last(customerId, until),
    };
  }

  private read<T>(customerId: string, work: (tx: CustomerTransaction) => Promise<T>): Promise<T> {
    return this.unitOfWork.runFor(customerId, work, {
      deadlines: 'bulk',
      readOnly: true,
      isolation: 'REPEATABLE READ',
    });
  }
}

/** The parameters that the cursors of a query are bound to. */
function parametersOf({ cursor: _, limit: __, head: ___, ...asked }: CasesQuery): PagedQuery {
  return asked;
}

async function* pagesFrom(
  first: CasePageAt,
  total: number,
  read: (after: CasePosition) => Promise<CasePageAt>,
): AsyncGenerator<readonly CaseResponse[], void, undefined> {
  let given = 0;
  for (let page: CasePageAt | undefined = first; page !== undefined;) {
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

function wantedAt(query: CasesQuery, time: string, sort: CaseSort): WantedAt {
  return {
    filterAt: (tx) => filterOf(tx, query, time),
    sort,
    list: query.project_id === undefined ? 'all' : 'project',
  };
}

/** @throws ApiError VALIDATION_ERROR for an order or a time that the listed cases do not have */
function sortOf({ state = 'open', sort, as_of, closed_since, closed_until }: CasesQuery): CaseSort {
  const isClosed = state === 'closed';
  const problems = [
    (state === 'closed' || state === 'all') &&
      as_of !== undefined &&
      'as_of lists cases that were not closed, so state must be open or accepted',
    !isClosed && sort === 'closed' && 'sort=closed is for state=closed',
    !isClosed && closed_since !== undefined && 'closed_since is for state=closed',
    !isClosed && closed_until !== undefined && 'closed_until is for state=closed',
  ].filter((problem) => problem !== false);
  if (problems.length > 0) throw invalidInput(problems);
  return sort ?? (isClosed ? 'closed' : 'age');
}

/** The first cases of a page whose reasons fit into it. */
function thatFit(rows: readonly CaseRow[], reviews: ReadonlyMap<string, Review>): readonly CaseRow[] {
  let bytes = 0;
  const beyond = rows.findIndex(({ id }, place) => {
    bytes += Buffer.byteLength(reviews.get(id)?.acceptance?.reason ?? '');
    return place > 0 && bytes > REASON_BYTES;
  });
  return beyond === -1 ? rows : rows.slice(0, beyond);
}

function bytesOfHistory({ reviews, notes }: HistorySources): number {
  const texts = [
    ...reviews.map(({ acceptance }) => acceptance?.reason ?? ''),
    ...notes.map(({ text }) => text),
  ];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** An object with the record of a candidate on a platform where it has none. */
function joined(own: LoadedObject, other: LoadedObject, platform: PlatformName): LoadedObject {
  const taken = other.copies.filter((copy) => copy.platform === platform);
  return { ...own, copies: [...own.copies.filter((copy) => copy.platform !== platform), ...taken] };
}

function comparedFields(
  object: LoadedObject,
  [left, right]: readonly [PlatformName, PlatformName],
  rates: readonly RateQuote[],
): readonly ComparedFieldResponse[] {
  const value = ({ platform, canonical, native, path }: FieldReading): [PlatformName, ComparedValue] => [
    platform,
    { canonical, native, path },
  ];
  // A case of one record has its platform on both sides.
  const once = (sayings: ComparedField['readings']) => (left === right ? sayings.slice(0, 1) : sayings);
  return new ComparedRecords(object).fields(left, right, rates).map(({ field, same, readings: sayings }) => ({
    field,
    same: left === right ? null : same,
    values: Object.fromEntries(once(sayings).map(value)),
  }));
}
