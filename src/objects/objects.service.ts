import { Injectable } from '@nestjs/common';
import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { Customer } from '../auth/customer';
import { UnitOfWork } from '../database/unit-of-work';
import { LoopTime } from '../fairness/loop-time';
import { JsonBytes } from '../http/json-bytes';
import { StreamedJson } from '../http/streamed-json';
import type { Listing } from '../records/listing-page';
import { firstPage, ListingPages, type Page } from './listing-pages';

/** Lists a platform's records with the canonical objects they belong to. */
@Injectable()
export class ObjectsService {
  private readonly pages: ListingPages;

  constructor(unitOfWork: UnitOfWork, loopTime: LoopTime) {
    this.pages = new ListingPages(unitOfWork, loopTime);
  }

  /**
   * All records of one type on one platform, ordered by native ID; none for a platform that is not connected. Each page
   * shows one moment, and no connection is held while the client reads.
   *
   * @param gone aborts when the client leaves
   * @returns the whole at once where it is one page
   */
  async list(
    customer: Customer,
    platform: PlatformName,
    entityType: StoredEntityType,
    gone: AbortSignal,
  ): Promise<JsonBytes | StreamedJson> {
    const listing = { customerId: customer.id, platform, entityType };
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
