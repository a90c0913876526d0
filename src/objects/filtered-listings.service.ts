import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { EventLoopScheduler } from '../runtime/fairness/event-loop-scheduler';
import { WAIT_LIMIT_MS } from '../runtime/fairness/admission';
import { AnswerMemory, MADE_OF_STORED } from '../common/response/memory/answer-memory';
import { JsonBytes, StreamedJson } from '../common/response/handler-results';
import type { PendingAnswer } from '../common/response/memory/pending-answer';
import { Cursors, Paged, PAGE_SIZE } from '../common/paging/paging';
import { isText } from '../common/paging/sort-keys';
import { CustomerTimes } from '../common/paging/customer-times';
import { beforeHistory, wholeSince } from '../records/history/history-horizon.repository';
import { LARGEST_OBJECT, type Listing, readerFor } from '../records/objects/listing-page.repository';
import { termsFrom } from '../records/terms/terms-text';
import {
  beforeFirst,
  FILTERED_PAGE_BYTES,
  readFilteredPage,
  type ListingFilter,
  type RecordPlace,
} from './filtered-page.repository';
import { filteredRecordText } from './filtered-record';
import type { ObjectsQuery } from './objects.dto';

type PlaceKeys = readonly [nativeOrder: string, platformId: string];

const cursors = new Cursors<PlaceKeys>('objects', [isText, isText]);

/** Maximum number of statements for one page. After that the page is sent as it is. */
const MOST_LOOKS = 4;

/** Records of a part of a listing that is streamed as a whole. */
const PART = 200;

/** Characters of records that are made at a time, before other work gets its turn. */
const MADE_AT_ONCE = 64 * 1024;

/** Some records of a listing, as JSON text, with commas between them. */
interface FilteredListing {
  readonly pieces: readonly Buffer[];
  readonly records: number;
  readonly next: RecordPlace | undefined;
}

/** Lists filtered records of a platform, or a listing page by page. */
@Injectable()
export class FilteredListingsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLoop: EventLoopScheduler,
    private readonly memory: AnswerMemory,
    private readonly times: CustomerTimes,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'historyTtlMs'>,
  ) {}

  /**
   * The filtered records: one page if pages are requested, otherwise all of them. No state is kept between pages, so a
   * cursor does not expire.
   *
   * @throws ApiError 400 for a cursor of another query; 404 if history does not reach back to the time of
   *   `modified_after`; Overloaded if no memory becomes free
   */
  async list(
    customerId: string,
    query: ObjectsQuery,
    answer: PendingAnswer,
  ): Promise<Paged<JsonBytes> | StreamedJson> {
    const listing = { customerId, platform: query.platform, entityType: query.entity_type };
    const choice = await this.choiceOf(customerId, query);
    const asked = { platform: query.platform, entityType: query.entity_type, ...choice };
    if (choice.modifiedAfter !== undefined)
      await this.refuseForgotten(customerId, choice.modifiedAfter, answer.gone);
    if (query.limit === undefined && query.cursor === undefined)
      return new StreamedJson(this.all(listing, choice, answer));
    const from =
      query.cursor === undefined ? beforeFirst : placeOf(cursors.decode(customerId, asked, query.cursor));
    const limit = query.limit ?? PAGE_SIZE.usual;
    const { pieces, next } = await this.part(listing, choice, from, limit, answer);
    return new Paged(
      new JsonBytes([Buffer.from('['), ...pieces, Buffer.from(']')]),
      next === undefined ? null : cursors.encode(customerId, asked, [next.nativeOrder, next.platformId]),
    );
  }

  private async choiceOf(customerId: string, query: ObjectsQuery): Promise<ListingFilter> {
    const { modified_after: after } = query;
    return {
      ...(query.canonical_id !== undefined && { canonicalId: query.canonical_id }),
      ...(after !== undefined && { modifiedAfter: await this.times.first(customerId, after) }),
      ...(query.include_deleted === true && { includeDeleted: true }),
    };
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

  private async *all(listing: Listing, choice: ListingFilter, answer: PendingAnswer): AsyncGenerator<Buffer> {
    yield Buffer.from('[');
    let isFirst = true;
    let patience: number = WAIT_LIMIT_MS.short;
    for (let from: RecordPlace | undefined = beforeFirst; from !== undefined;) {
      const part: FilteredListing = await this.part(listing, choice, from, PART, answer, patience);
      patience = WAIT_LIMIT_MS.long; // A response that has begun can no longer be refused, only cut off.
      if (!isFirst && part.records > 0) yield Buffer.from(',');
      yield* part.pieces;
      isFirst &&= part.records === 0;
      from = part.next;
    }
    yield Buffer.from(']');
  }

  private async part(
    listing: Listing,
    choice: ListingFilter,
    from: RecordPlace,
    limit: number,
    answer: PendingAnswer,
    patience?: number,
  ): Promise<FilteredListing> {
    const { customerId } = listing;
    const { gone: signal } = answer;
    const most = choice.canonicalId === undefined ? limit : 1;
    const stored = Math.min(FILTERED_PAGE_BYTES, most * LARGEST_OBJECT);
    await this.memory.reserve(answer, MADE_OF_STORED * stored, patience);
    const read = readerFor(this.unitOfWork, customerId, signal);
    const pieces: Buffer[] = [];
    let [records, bytes] = [0, FILTERED_PAGE_BYTES];
    let next: RecordPlace | undefined = from;
    for (
      let looks = 0;
      looks < MOST_LOOKS && next !== undefined && records < limit && bytes > 0;
      looks += 1
    ) {
      const page = await readFilteredPage(read, listing, choice, next, { limit: limit - records, bytes });
      const terms = termsFrom(page.terms);
      let text = '';
      for (const record of page.records) {
        text += `${records === 0 ? '' : ','}${filteredRecordText(listing.platform, record, terms)}`;
        records += 1;
        if (text.length < MADE_AT_ONCE) continue;
        pieces.push(Buffer.from(text));
        text = '';
        await this.eventLoop.waitToContinue(customerId);
      }
      pieces.push(Buffer.from(text));
      bytes -= page.bytes;
      next = page.next;
    }
    answer.settle(pieces.reduce((sum, piece) => sum + piece.length, 0));
    return { pieces, records, next };
  }
}

function placeOf([nativeOrder, platformId]: PlaceKeys): RecordPlace {
  return { nativeOrder, platformId };
}
