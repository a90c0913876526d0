import { Inject, Injectable } from '@nestjs/common';
import { Cursors, Paged } from '../../common/paging/paging';
import { isText } from '../../common/paging/sort-keys';
import { CustomerTimes } from '../../common/paging/customer-times';
import { RecentCounts } from '../../common/paging/recent-counts';
import { ResponseMemory } from '../../common/response/memory/response-memory';
import { JsonBytes, StreamedJson } from '../../common/response/handler-results';
import type { PendingResponse } from '../../common/response/memory/pending-response';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { beforeHistory, wholeSince } from '../../records/history/history-horizon.repository';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import type { ObjectsQuery } from '../objects.dto';
import { ListingPages, type Page } from './listing-pages';
import { answerPage, firstPage } from './page-place';
import { readerFor } from './listing-page.repository';
import { countListing, type ListingTotal } from './listing-total.repository';
import { parametersOf, type Selection } from './selection';
import { selectionOf } from './selection-of-query';

const cursors = new Cursors<readonly [nativeOrder: string, platformId: string]>('objects', [isText, isText]);

/** Lists a platform's records with their canonical objects, or objects with their records. */
@Injectable()
export class ListingsService {
  private readonly pages: ListingPages;
  private readonly recent = new RecentCounts<ListingTotal>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    eventLoop: EventLoopScheduler,
    memory: ResponseMemory,
    private readonly times: CustomerTimes,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'historyTtlMs'>,
  ) {
    this.pages = new ListingPages(unitOfWork, eventLoop, memory);
  }

  /**
   * Records of one type on one platform, ordered by native ID; none for a platform that is not connected. Without a
   * platform: objects of the type, ordered by canonical ID. Each page shows one moment, and no connection is held while
   * the client reads. No state is stored between pages, so a cursor does not expire.
   *
   * @returns the whole listing, at once if it is one page; one page if pages are requested
   * @throws ApiError 400 for a cursor of another query, and for parameters that exclude each other; 404 if history does
   *   not reach back to the time of `modified_after`; Overloaded if no memory becomes free
   */
  async list(
    customerId: string,
    query: ObjectsQuery,
    answer: PendingResponse,
  ): Promise<JsonBytes | Paged<JsonBytes> | StreamedJson> {
    const { modified_after: after } = query;
    const modifiedAfter = after === undefined ? undefined : await this.times.first(customerId, after);
    const selection = selectionOf(customerId, query, modifiedAfter);
    if (selection.modifiedAfter !== undefined)
      await this.refuseForgotten(customerId, selection.modifiedAfter, answer.gone);
    const isPaged = query.limit !== undefined || query.cursor !== undefined || query.count === true;
    if (isPaged) return this.one(selection, query, answer);
    const first = await this.pages.page(selection, firstPage, answer);
    if (first.next === undefined) return new JsonBytes(first.pieces);
    return new StreamedJson(this.from(first, selection, answer));
  }

  private async one(
    selection: Selection,
    { cursor, limit, count }: ObjectsQuery,
    answer: PendingResponse,
  ): Promise<Paged<JsonBytes>> {
    const { customerId } = selection;
    const asked = parametersOf(selection);
    const after = cursor === undefined ? undefined : cursors.decode(customerId, asked, cursor);
    const { pieces, next } = await this.pages.page(selection, answerPage(after, limit), answer);
    return new Paged(
      new JsonBytes(pieces),
      next === undefined ? null : cursors.encode(customerId, asked, [next.nativeOrder, next.platformId]),
      count === true ? await this.totalOf(selection, cursor !== undefined, answer.gone) : {},
    );
  }

  /** @param isBehind whether a page before this one has counted, as a rule */
  private async totalOf(
    selection: Selection,
    isBehind: boolean,
    gone: AbortSignal,
  ): Promise<{ readonly total: number; readonly total_exact: boolean }> {
    const { customerId } = selection;
    const list = `${customerId} ${JSON.stringify(parametersOf(selection))}`;
    const known = isBehind ? this.recent.of(list) : undefined;
    const { total, isExact } =
      known ?? (await countListing(readerFor(this.unitOfWork, customerId, gone), selection));
    if (known === undefined) this.recent.keep(list, { total, isExact });
    return { total, total_exact: isExact };
  }

  private async *from(first: Page, selection: Selection, answer: PendingResponse): AsyncGenerator<Buffer> {
    yield* first.pieces;
    let before = first.records;
    for (let position = first.next; position !== undefined;) {
      const page: Page = await this.pages.page(selection, { ...firstPage, position, before }, answer);
      yield* page.pieces;
      before += page.records;
      position = page.next;
    }
  }

  /** Changes after a time are known as far back as history reaches. Nothing has changed after a future time. */
  private async refuseForgotten(customerId: string, time: string, signal: AbortSignal): Promise<void> {
    const since = await this.unitOfWork.runFor(
      customerId,
      (tx) => wholeSince(tx, this.environment.historyTtlMs),
      { readOnly: true, signal },
    );
    if (since !== undefined && time < since) throw beforeHistory(since);
  }
}
