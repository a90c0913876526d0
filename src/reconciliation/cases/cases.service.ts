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
import { ApiError } from '../../common/errors/api-error';
import { WAIT_LIMIT_MS } from '../../runtime/fairness/admission';
import { AnswerMemory, MADE_OF_STORED, NeedsRoom } from '../../common/response/memory/answer-memory';
import { PAGE_SIZE, Paged } from '../../common/paging/paging';
import type { PendingAnswer } from '../../common/response/memory/pending-answer';
import { settledTime } from '../../records/changes/settled-time.repository';
import { loadObjects, storedBytes } from '../../records/objects/stored-objects.repository';
import type { LoadedObject } from '../../records/loaded-object';
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
  positionOf,
  readCases,
  type CaseFilter,
  type CasePosition,
} from './cases.repository';
import { platformPairs } from '../comparisons/comparison';
import { Freshness } from '../statement/freshness/freshness';
import { PastCases, type PastCasesPage, type PastCasesQuery } from './past-cases';
import { projectNamed } from '../statement/projects.repository';
import { currencyOfCases, comparisonContext } from '../comparisons/comparison-context.repository';
import type { CasesQuery } from '../statement/statement.dto';
import { pairOf } from '../statement/statement.service';

/** Memory that is reserved for a page until it is made. */
const PAGE_MEMORY = MADE_OF_STORED * CASE_BYTES;

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

type CasePageAt = CasePage & Pick<PastCasesPage, 'counts'>;

/** The cases between two platforms that need a person's attention. */
@Injectable()
export class CasesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly freshness: Freshness,
    private readonly memory: AnswerMemory,
    private readonly past: PastCases,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'defaultCurrency'>,
  ) {}

  /**
   * One page of cases, and the number of all cases.
   *
   * @throws ApiError NOT_FOUND if the project does not exist; VALIDATION_ERROR for a cursor of another list
   * @throws Overloaded if no memory becomes free
   */
  async page(
    customerId: string,
    query: CasesQuery,
    answer: PendingAnswer,
  ): Promise<Paged<readonly CaseResponse[]>> {
    const { cursor, limit, ...asked } = query;
    const cursors = caseCursors[query.sort ?? 'age'];
    const after = cursor === undefined ? undefined : cursors.decode(customerId, { ...asked }, cursor);
    await this.freshness.follow(customerId);
    await this.memory.reserve(answer, PAGE_MEMORY);
    return this.read(customerId, async (tx) => {
      const filter = await filterOf(tx, query);
      const asOf = after?.[0] ?? (await transactionTime(tx.store)).getTime();
      const size = limit ?? PAGE_SIZE.usual;
      const { cases, next } = await this.pageIn(tx, filter, {
        ...query,
        asOf,
        after,
        size,
      });
      const facets = facetsFrom(await countCases(tx, filter, asOf));
      const nextCursor = next === undefined ? null : cursors.encode(customerId, { ...asked }, next);
      return new Paged(cases, nextCursor, { facets });
    });
  }

  /**
   * All cases of a query at a time, page by page. Each page is a short separate read, and all pages show the same
   * moment, however slowly the client reads them.
   *
   * @param time in UTC, with microseconds; the past, or {@link moment}
   * @param answer holds the memory of one page at a time; absent for an operator's list
   * @throws ApiError as {@link PastCases.page} does, before the first page; Overloaded if no memory becomes free
   */
  async all(customerId: string, query: CasesQuery, time: string, answer?: PendingAnswer): Promise<CasePages> {
    const wanted = {
      filterAt: (tx: CustomerTransaction) => filterOf(tx, query, time),
      sort: query.sort ?? 'age',
      list: query.project_id === undefined ? 'all' : 'project',
    } as const;
    const first = await this.pageAt(customerId, time, wanted, { after: undefined, counted: true }, answer);
    const facets = facetsFrom(first.counts ?? []);
    return {
      facets,
      asOf: time,
      pages: this.pagesFrom(customerId, time, wanted, first, facets.total, answer),
    };
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
   * @throws ApiError NOT_FOUND if no such case is open; Overloaded if no memory becomes free
   */
  async get(customerId: string, id: string, answer: PendingAnswer): Promise<CaseDetailResponse> {
    await this.freshness.follow(customerId);
    return this.memory.withRoom(answer, (room) => this.find(customerId, id, room));
  }

  private find(customerId: string, id: string, room: number): Promise<CaseDetailResponse | NeedsRoom> {
    return this.read(customerId, async (tx) => {
      const row = await findCase(tx, id);
      if (row === undefined) throw new ApiError('NOT_FOUND', 'No case with this ID is open');
      const { terms, currencies } = await comparisonContext(tx);
      const found = caseFrom(
        row,
        currencyOfCases(currencies, this.environment.defaultCurrency),
        (await transactionTime(tx.store)).getTime(),
      );
      const ids = [row.object_id, ...found.candidates.map(({ canonical_id }) => canonical_id)];
      const bytes = await storedBytes(tx, ids);
      if (bytes > room) return new NeedsRoom(bytes);
      const objects = new Map((await loadObjects(tx, ids)).map((one) => [one.id, one]));
      const own = objects.get(row.object_id);
      const pair = [row.left_platform, row.right_platform] as const;
      return {
        ...found,
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

  private async *pagesFrom(
    customerId: string,
    time: string,
    wanted: WantedAt,
    first: CasePageAt,
    total: number,
    answer?: PendingAnswer,
  ): AsyncGenerator<readonly CaseResponse[], void, undefined> {
    let given = 0;
    for (let page: CasePageAt | undefined = first; page !== undefined;) {
      given += page.cases.length;
      yield page.cases;
      const after: CasePosition | undefined = page.next;
      page = after && (await this.pageAt(customerId, time, wanted, { after, counted: false }, answer));
    }
    // A truncated file is detectable. A file whose number of lines contradicts its head is not.
    if (given !== total) throw new Error(`A list of ${total} cases came to ${given}`);
  }

  private async pageAt(
    customerId: string,
    time: string,
    wanted: WantedAt,
    { after, counted }: Pick<PastCasesQuery, 'after' | 'counted'>,
    answer?: PendingAnswer,
  ): Promise<CasePageAt> {
    // A response that has begun can no longer be refused, only cut off.
    const waitLimitMs = after === undefined ? WAIT_LIMIT_MS.short : WAIT_LIMIT_MS.long;
    if (answer !== undefined) await this.memory.reserve(answer, PAGE_MEMORY, waitLimitMs);
    const limit = PAGE_SIZE.most;
    const query = { ...wanted, after, counted, limit: limit + 1 };
    const { rows, counts, currency } = await this.past.page(customerId, time, query, answer?.gone);
    const asOf = Date.parse(time);
    const shown = rows.slice(0, limit).filter(isWhole);
    const last = shown.at(-1);
    return {
      cases: shown.map((row) => caseFrom(row, currency, asOf, wanted.list)),
      next:
        rows.length > shown.length && last !== undefined ? positionOf(last, wanted.sort, asOf) : undefined,
      counts,
    };
  }

  private async pageIn(
    tx: CustomerTransaction,
    filter: CaseFilter,
    page: Pick<CasesQuery, 'sort'> & {
      readonly asOf: number;
      readonly after: CasePosition | undefined;
      readonly size: number;
    },
  ): Promise<CasePage> {
    const { asOf, after, size, sort = 'age' } = page;
    const { currencies } = await comparisonContext(tx);
    const rows = await readCases(tx, filter, { asOf, sort, after, limit: size + 1 });
    const shown = rows.slice(0, size).filter(isWhole);
    const last = shown.at(-1);
    const currency = currencyOfCases(currencies, this.environment.defaultCurrency);
    return {
      cases: shown.map((row) =>
        caseFrom(row, currency, asOf, filter.projectId === undefined ? 'all' : 'project'),
      ),
      next: rows.length > shown.length && last !== undefined ? positionOf(last, sort, asOf) : undefined,
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
  };
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
