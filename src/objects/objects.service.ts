import { Injectable } from '@nestjs/common';
import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { Customer } from '../auth/customer';
import { UnitOfWork } from '../database/unit-of-work';
import { LoopTime } from '../fairness/loop-time';
import { JsonText } from '../http/json-text';
import { StreamedJson } from '../http/streamed-json';
import {
  listingStart,
  readListingPage,
  type ListedRecord,
  type Listing,
  type ListingPage,
} from '../records/listing-page';
import { CanonicalTexts } from './canonical-texts';
import { canonicalText, objectRecordText } from './object-record';

/** Characters of objects that are made in one go, before others have their turn. */
const MADE_AT_ONCE = 64 * 1024;

/** Characters that go on at a time. What is remembered costs next to nothing, so that is the only limit for it. */
const BATCH = 256 * 1024;

/** Records of a listing that are remembered. Of a longer one the rest would push out its beginning each time. */
const REMEMBERED = 2_000;

/** Lists a platform's records with the canonical objects they belong to. */
@Injectable()
export class ObjectsService {
  private readonly texts = new CanonicalTexts(canonicalText);

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly loopTime: LoopTime,
  ) {}

  /**
   * All records of one type on one platform, ordered by native ID; none for a platform that is not connected. Each page
   * shows one moment, and no connection is held while the client reads.
   *
   * @param gone aborts when the client leaves
   * @returns the whole as one text where it is short
   */
  async list(
    customer: Customer,
    platform: PlatformName,
    entityType: StoredEntityType,
    gone: AbortSignal,
  ): Promise<JsonText | StreamedJson> {
    const batches = this.batches({ customerId: customer.id, platform, entityType }, gone);
    const first = await batches.next();
    if (first.done === true) return new JsonText('[]');
    if (first.value.last) return new JsonText(`[${first.value.texts.join(',')}]`);
    return StreamedJson.array(after(first.value, batches));
  }

  private async *batches(listing: Listing, gone: AbortSignal): AsyncGenerator<Batch, void, undefined> {
    const options = { customerId: listing.customerId, signal: gone };
    const read = <Row extends object>(sql: string, parameters: readonly unknown[]): Promise<Row[]> =>
      this.unitOfWork.read<Row>(sql, parameters, options);
    let listed = 0;
    for (let position: ListingPage['next'] = listingStart; position !== undefined;) {
      const page: ListingPage = await readListingPage(read, listing, position);
      yield* this.textsOf(page, listing, listed);
      listed += page.records.length;
      position = page.next;
    }
  }

  private async *textsOf(
    { records, next }: ListingPage,
    listing: Listing,
    listed: number,
  ): AsyncGenerator<Batch, void, undefined> {
    let texts: string[] = [];
    let length = 0;
    let made = 0;
    for (const [place, record] of records.entries()) {
      const canonical = this.texts.known(listing.customerId, record.rows);
      const text = objectRecordText(
        listing.platform,
        record,
        canonical ?? this.make(listing, record, listed + place),
      );
      texts.push(text);
      length += text.length;
      if (canonical === undefined) made += text.length;
      if (made >= MADE_AT_ONCE) {
        made = 0;
        await this.loopTime.turnToGoOn(listing.customerId);
      }
      if (length < BATCH) continue;
      yield { texts, last: false };
      texts = [];
      length = 0;
      await this.loopTime.turnToGoOn(listing.customerId);
    }
    yield { texts, last: next === undefined };
  }

  private make({ customerId }: Listing, { rows }: ListedRecord, place: number): string {
    return this.texts.made(customerId, rows, place < REMEMBERED);
  }
}

/** Texts of some records, and whether they are the last. */
interface Batch {
  readonly texts: readonly string[];
  readonly last: boolean;
}

async function* after(first: Batch, others: AsyncIterable<Batch>): AsyncGenerator<readonly string[]> {
  yield first.texts;
  for await (const { texts } of others) yield texts;
}
