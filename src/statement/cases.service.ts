import { Inject, Injectable } from '@nestjs/common';
import {
  ComparedRecords,
  type ComparedField,
  type PlatformName,
  type RateQuote,
  type Saying,
} from '@app/mapper';
import { getCustomer } from '../auth/customers.service';
import { ENVIRONMENT, type Environment } from '../config/environment';
import { UnitOfWork, type Store } from '../database/unit-of-work';
import { ApiError } from '../errors/api-error';
import { decodeCursor, encodeCursor, PAGE_SIZE, Paged } from '../http/paging';
import { loadObjects, type LoadedObject } from '../records/stored-objects';
import { caseFrom, facetsFrom } from './case-record';
import type {
  CaseAnswer,
  CaseDetailAnswer,
  CaseFacets,
  CaseCandidate,
  ComparedFieldAnswer,
  ComparedValue,
} from './cases.answer';
import {
  countCases,
  findCase,
  isCasePosition,
  positionOf,
  readCases,
  type CaseFilter,
  type CasePosition,
} from './cases.repository';
import { platformPairs } from './comparison';
import { Freshness } from './freshness';
import { projectNamed } from './projects.repository';
import { currencyOfCases, surroundingsOf } from './refresh/surroundings';
import type { CasesQuery } from './statement.dto';
import { pairOf } from './statement.service';

/** A list of cases, page by page. */
export interface CasePages {
  readonly facets: CaseFacets;
  readonly asOf: string;
  readonly pages: AsyncIterable<readonly CaseAnswer[]>;
}

/** A page of cases, with what the next one needs. */
interface CasePage {
  readonly cases: readonly CaseAnswer[];
  readonly next: CasePosition | undefined;
}

/** What is left for people to look at between two platforms. */
@Injectable()
export class CasesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly freshness: Freshness,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'defaultCurrency'>,
  ) {}

  /**
   * One page of cases, and how many there are in all.
   *
   * @throws ApiError NOT_FOUND for a project that is not there; VALIDATION_ERROR for a cursor of another list
   */
  async page(customerId: string, query: CasesQuery): Promise<Paged<readonly CaseAnswer[]>> {
    const { cursor, limit, ...asked } = query;
    const after = cursor === undefined ? undefined : decodeCursor(cursor, { ...asked }, isCasePosition);
    await this.freshness.follow(customerId);
    return this.read(customerId, async (store) => {
      const filter = await filterOf(store, customerId, query);
      const asOf = after?.[0] ?? (await clock(store));
      const size = limit === undefined ? PAGE_SIZE.usual : Number(limit);
      const { cases, next } = await this.pageIn(store, customerId, filter, { ...query, asOf, after, size });
      const facets = facetsFrom(await countCases(store, customerId, filter, asOf));
      return new Paged(cases, next === undefined ? null : encodeCursor({ ...asked }, next), { facets });
    });
  }

  /** All cases of a query, page by page; each page is a short read of its own. */
  async all(customerId: string, query: CasesQuery): Promise<CasePages> {
    await this.freshness.follow(customerId);
    const { filter, asOf, facets } = await this.read(customerId, async (store) => {
      const found = await filterOf(store, customerId, query);
      const now = await clock(store);
      return {
        filter: found,
        asOf: now,
        facets: facetsFrom(await countCases(store, customerId, found, now)),
      };
    });
    return {
      facets,
      asOf: new Date(asOf).toISOString(),
      pages: this.pagesFrom(customerId, filter, { ...query, asOf }),
    };
  }

  /**
   * Every case of a customer, of all pairs of platforms, for an operator who can wait until they follow the records.
   *
   * @throws ApiError NOT_FOUND without such a customer, before the first page
   */
  async *list(customerId: string): AsyncGenerator<readonly CaseAnswer[], void, undefined> {
    await this.read(customerId, (store) => getCustomer(store, customerId));
    await this.freshness.follow(customerId, Infinity);
    const seen = new Set<PlatformName>();
    for (const [left, right] of platformPairs()) {
      const asOf = await this.read(customerId, clock);
      const own = this.pagesFrom(customerId, { left, right }, { sort: 'type', asOf });
      for await (const cases of own) {
        // What concerns one record belongs to several pairs.
        yield cases.filter(
          ({ platform, missing_on }) => missing_on !== undefined || platform === null || !seen.has(platform),
        );
      }
      seen.add(left).add(right);
    }
  }

  /**
   * One case with all that helps to decide it.
   *
   * @throws ApiError NOT_FOUND when no such case is open
   */
  async get(customerId: string, id: string): Promise<CaseDetailAnswer> {
    await this.freshness.follow(customerId);
    return this.read(customerId, async (store) => {
      const row = await findCase(store, customerId, id);
      if (row === undefined) throw new ApiError('NOT_FOUND', 'No case with this ID is open');
      const { terms, currencies } = await surroundingsOf(store, customerId);
      const found = caseFrom(
        row,
        currencyOfCases(currencies, this.environment.defaultCurrency),
        await clock(store),
      );
      const ids = [row.object_id, ...(found.candidates ?? []).map(({ canonical_id }) => canonical_id)];
      const objects = new Map((await loadObjects(store, customerId, ids)).map((one) => [one.id, one]));
      const own = objects.get(row.object_id);
      const pair = [row.left_platform, row.right_platform] as const;
      return {
        ...found,
        compared: own === undefined ? [] : comparedFields(own, pair, terms.rates),
        ...(found.candidates !== undefined && {
          candidates: found.candidates.map((candidate): CaseCandidate => {
            const other = objects.get(candidate.canonical_id);
            const both = own && other && joined(own, other, candidate.platform);
            return {
              ...candidate,
              compared: both === undefined ? [] : comparedFields(both, pair, terms.rates),
            };
          }),
        }),
      };
    });
  }

  private async *pagesFrom(
    customerId: string,
    filter: CaseFilter,
    { sort, asOf }: Pick<CasesQuery, 'sort'> & { readonly asOf: number },
  ): AsyncGenerator<readonly CaseAnswer[], void, undefined> {
    let after: CasePosition | undefined;
    do {
      const position: CasePosition | undefined = after;
      const page: CasePage = await this.read(customerId, (store) =>
        this.pageIn(store, customerId, filter, { sort, asOf, after: position, size: PAGE_SIZE.most }),
      );
      yield page.cases;
      after = page.next;
    } while (after !== undefined);
  }

  private async pageIn(
    store: Store,
    customerId: string,
    filter: CaseFilter,
    page: Pick<CasesQuery, 'sort'> & {
      readonly asOf: number;
      readonly after: CasePosition | undefined;
      readonly size: number;
    },
  ): Promise<CasePage> {
    const { asOf, after, size, sort = 'age' } = page;
    const { currencies } = await surroundingsOf(store, customerId);
    const rows = await readCases(store, customerId, filter, { asOf, sort, after, limit: size + 1 });
    const shown = rows.slice(0, size);
    const last = shown.at(-1);
    const currency = currencyOfCases(currencies, this.environment.defaultCurrency);
    return {
      cases: shown.map((row) => caseFrom(row, currency, asOf)),
      next: rows.length > size && last !== undefined ? positionOf(last, sort, asOf) : undefined,
    };
  }

  private read<T>(customerId: string, work: (store: Store) => Promise<T>): Promise<T> {
    return this.unitOfWork.run(work, {
      customerId,
      patience: 'bulk',
      readOnly: true,
      isolation: 'REPEATABLE READ',
    });
  }
}

async function filterOf(store: Store, customerId: string, query: CasesQuery): Promise<CaseFilter> {
  const [left, right] = pairOf(query.platforms);
  return {
    left,
    right,
    kind: query.kind,
    entityType: query.entity_type,
    projectId: await projectNamed(store, customerId, query.project_id),
    field: query.field,
    currency: query.currency,
    age: query.age,
  };
}

async function clock(store: Store): Promise<number> {
  const [row] = await store.query<{ now: Date }>('select now() as now');
  if (row === undefined) throw new Error('The database has no time');
  return row.now.getTime();
}

/** An object with a candidate's record in the place that it has none in. */
function joined(own: LoadedObject, other: LoadedObject, platform: PlatformName): LoadedObject {
  const taken = other.copies.filter((copy) => copy.platform === platform);
  return { ...own, copies: [...own.copies.filter((copy) => copy.platform !== platform), ...taken] };
}

function comparedFields(
  object: LoadedObject,
  [left, right]: readonly [PlatformName, PlatformName],
  rates: readonly RateQuote[],
): readonly ComparedFieldAnswer[] {
  const value = ({ platform, canonical, native, path }: Saying): [PlatformName, ComparedValue] => [
    platform,
    { canonical, native, path },
  ];
  // A case of one record has its platform on both sides.
  const once = (sayings: ComparedField['sayings']) => (left === right ? sayings.slice(0, 1) : sayings);
  return new ComparedRecords(object).fields(left, right, rates).map(({ field, same, sayings }) => ({
    field,
    same: left === right ? null : same,
    values: Object.fromEntries(once(sayings).map(value)),
  }));
}
