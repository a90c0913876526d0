import { Injectable } from '@nestjs/common';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { Customer } from '../auth/customer';
import { UnitOfWork } from '../database/unit-of-work';
import { StreamedJson } from '../http/streamed-json';
import { listingStart, readListingPage, type Listing, type ListingPosition } from './listing-page';
import { objectRecordText } from './object-record';

/** Characters that are made in one go, before others have their turn. */
const BATCH = 64 * 1024;

/** Lists a platform's records with the canonical objects they belong to. */
@Injectable()
export class ObjectsService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * All records of one type on one platform, ordered by native ID; none for a platform that is not connected. Each page
   * shows one moment, and no connection is held while the client reads.
   *
   * @param gone aborts when the client leaves
   */
  list(
    customer: Customer,
    platform: PlatformName,
    entityType: StoredEntityType,
    gone: AbortSignal,
  ): StreamedJson {
    return StreamedJson.array(this.batches({ customerId: customer.id, platform, entityType }, gone));
  }

  private async *batches(listing: Listing, gone: AbortSignal): AsyncGenerator<readonly string[]> {
    let position: ListingPosition | undefined = listingStart;
    while (position !== undefined) {
      const from: ListingPosition = position;
      const page = await this.unitOfWork.run((store) => readListingPage(store, listing, from), {
        customerId: listing.customerId,
        isolation: 'REPEATABLE READ',
        readOnly: true,
        signal: gone,
      });
      let texts: string[] = [];
      let length = 0;
      for (const record of page.records) {
        const text = objectRecordText(listing.platform, record);
        texts.push(text);
        length += text.length;
        if (length < BATCH) continue;
        yield texts;
        texts = [];
        length = 0;
        await turnOfTheLoop();
      }
      yield texts;
      position = page.next;
    }
  }
}
