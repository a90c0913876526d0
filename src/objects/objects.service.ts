import { Injectable } from '@nestjs/common';
import type { Customer } from '../auth/customers/customer';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { EventLoopScheduler } from '../runtime/fairness/event-loop-scheduler';
import { AnswerMemory } from '../common/response/memory/answer-memory';
import { JsonBytes, StreamedJson } from '../common/response/handler-results';
import type { Paged } from '../common/paging/paging';
import type { PendingAnswer } from '../common/response/memory/pending-answer';
import type { Listing } from '../records/objects/listing-page.repository';
import { FilteredListingsService } from './filtered-listings.service';
import { firstPage, ListingPages, type Page } from './listing-pages';
import type { ObjectsQuery } from './objects.dto';

/** Lists a platform's records with their canonical objects. */
@Injectable()
export class ObjectsService {
  private readonly pages: ListingPages;

  constructor(
    unitOfWork: UnitOfWork,
    eventLoop: EventLoopScheduler,
    memory: AnswerMemory,
    private readonly filtered: FilteredListingsService,
  ) {
    this.pages = new ListingPages(unitOfWork, eventLoop, memory);
  }

  /**
   * Records of one type on one platform, ordered by native ID; none for a platform that is not connected. Each page
   * shows one moment, and no connection is held while the client reads.
   *
   * @returns the whole listing at once if it is one page; one page if pages are requested
   */
  async list(
    customer: Customer,
    query: ObjectsQuery,
    answer: PendingAnswer,
  ): Promise<JsonBytes | Paged<JsonBytes> | StreamedJson> {
    if (isChosen(query)) return this.filtered.list(customer.id, query, answer);
    const listing = { customerId: customer.id, platform: query.platform, entityType: query.entity_type };
    const first = await this.pages.page(listing, firstPage, answer);
    if (first.next === undefined) return new JsonBytes(first.pieces);
    return new StreamedJson(this.from(first, listing, answer));
  }

  private async *from(first: Page, listing: Listing, answer: PendingAnswer): AsyncGenerator<Buffer> {
    yield* first.pieces;
    let before = first.records;
    for (let position = first.next; position !== undefined;) {
      const page: Page = await this.pages.page(listing, { position, before }, answer);
      yield* page.pieces;
      before += page.records;
      position = page.next;
    }
  }
}

/** Whether a query requests something other than all present records. */
function isChosen({ limit, cursor, modified_after, canonical_id, include_deleted }: ObjectsQuery): boolean {
  return (
    [limit, cursor, modified_after, canonical_id].some((one) => one !== undefined) || include_deleted === true
  );
}
