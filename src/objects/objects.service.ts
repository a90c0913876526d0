import { Injectable } from '@nestjs/common';
import type { Customer } from '../auth/customer';
import { UnitOfWork } from '../database/unit-of-work';
import { LoopTime } from '../fairness/loop-time';
import { JsonBytes } from '../http/json-bytes';
import type { Paged } from '../http/paging';
import { StreamedJson } from '../http/streamed-json';
import type { Listing } from '../records/listing-page';
import { ChosenListingsService } from './chosen-listings.service';
import { firstPage, ListingPages, type Page } from './listing-pages';
import type { ObjectsQuery } from './objects.dto';

/** Lists a platform's records with the canonical objects they belong to. */
@Injectable()
export class ObjectsService {
  private readonly pages: ListingPages;

  constructor(
    unitOfWork: UnitOfWork,
    loopTime: LoopTime,
    private readonly chosen: ChosenListingsService,
  ) {
    this.pages = new ListingPages(unitOfWork, loopTime);
  }

  /**
   * Records of one type on one platform, ordered by native ID; none for a platform that is not connected. Each page
   * shows one moment, and no connection is held while the client reads.
   *
   * @param gone aborts when the client leaves
   * @returns the whole at once where it is one page; one page where pages are asked for
   */
  async list(
    customer: Customer,
    query: ObjectsQuery,
    gone: AbortSignal,
  ): Promise<JsonBytes | Paged<JsonBytes> | StreamedJson> {
    if (isChosen(query)) return this.chosen.list(customer.id, query, gone);
    const listing = { customerId: customer.id, platform: query.platform, entityType: query.entity_type };
    const first = await this.pages.page(listing, firstPage, gone);
    if (first.next === undefined) return new JsonBytes(first.pieces);
    return new StreamedJson(this.from(first, listing, gone));
  }

  private async *from(first: Page, listing: Listing, gone: AbortSignal): AsyncGenerator<Buffer> {
    yield* first.pieces;
    let before = first.records;
    for (let position = first.next; position !== undefined;) {
      const page: Page = await this.pages.page(listing, { position, before }, gone);
      yield* page.pieces;
      before += page.records;
      position = page.next;
    }
  }
}

/** Whether a query asks for less, or for more, than all records that are there. */
function isChosen({ limit, cursor, modified_after, canonical_id, include_deleted }: ObjectsQuery): boolean {
  return (
    [limit, cursor, modified_after, canonical_id].some((one) => one !== undefined) ||
    include_deleted === 'true'
  );
}
