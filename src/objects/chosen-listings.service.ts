import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work';
import { LoopTime } from '../fairness/loop-time';
import { JsonBytes } from '../http/json-bytes';
import { decodeCursor, encodeCursor, Paged, PAGE_SIZE } from '../http/paging';
import { StreamedJson } from '../http/streamed-json';
import { timeFrom } from '../http/time-parameter';
import type { Listing, Read } from '../records/listing-page';
import { termsFrom } from '../terms/terms-text';
import { beforeFirst, CHOSEN_BYTES, readChosenPage, type Choice, type RecordPlace } from './chosen-page';
import { chosenRecordText } from './chosen-record';
import type { ObjectsQuery } from './objects.dto';

/** Statements of one page: so many times are records looked at before the page goes out as it is. */
const MOST_LOOKS = 4;

/** Records of a part of a listing that is streamed whole. */
const PART = 200;

/** Characters of records that are made in one go, before others have their turn. */
const MADE_AT_ONCE = 64 * 1024;

/** Some records of a listing, as JSON text, with commas between them. */
interface Made {
  readonly pieces: readonly Buffer[];
  readonly records: number;
  readonly next: RecordPlace | undefined;
}

/** Lists chosen records of a platform, or a listing page by page. */
@Injectable()
export class ChosenListingsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly loopTime: LoopTime,
  ) {}

  /**
   * The chosen records: one page where pages are asked for, else all of them. Nothing is kept between pages, so a cursor
   * is good for as long as its client likes.
   *
   * @param gone aborts when the client leaves
   * @throws ApiError 400 for a cursor of another query
   */
  async list(
    customerId: string,
    query: ObjectsQuery,
    gone: AbortSignal,
  ): Promise<Paged<JsonBytes> | StreamedJson> {
    const listing = { customerId, platform: query.platform, entityType: query.entity_type };
    const choice = choiceOf(query);
    const bound = { ...listing, customerId: undefined, ...choice };
    if (query.limit === undefined && query.cursor === undefined)
      return new StreamedJson(this.all(listing, choice, gone));
    const from =
      query.cursor === undefined ? beforeFirst : placeOf(decodeCursor(query.cursor, bound, isPosition));
    const limit = query.limit === undefined ? PAGE_SIZE.usual : Number(query.limit);
    const { pieces, next } = await this.part(listing, choice, from, limit, gone);
    return new Paged(
      new JsonBytes([Buffer.from('['), ...pieces, Buffer.from(']')]),
      next === undefined ? null : encodeCursor(bound, [next.nativeOrder, next.platformId]),
    );
  }

  private async *all(listing: Listing, choice: Choice, gone: AbortSignal): AsyncGenerator<Buffer> {
    yield Buffer.from('[');
    let isFirst = true;
    for (let from: RecordPlace | undefined = beforeFirst; from !== undefined;) {
      const part: Made = await this.part(listing, choice, from, PART, gone);
      if (!isFirst && part.records > 0) yield Buffer.from(',');
      yield* part.pieces;
      isFirst &&= part.records === 0;
      from = part.next;
    }
    yield Buffer.from(']');
  }

  private async part(
    listing: Listing,
    choice: Choice,
    from: RecordPlace,
    limit: number,
    signal: AbortSignal,
  ): Promise<Made> {
    const { customerId } = listing;
    const read: Read = (sql, parameters) => this.unitOfWork.read(sql, parameters, { customerId, signal });
    const pieces: Buffer[] = [];
    let [records, bytes] = [0, CHOSEN_BYTES];
    let next: RecordPlace | undefined = from;
    for (
      let looks = 0;
      looks < MOST_LOOKS && next !== undefined && records < limit && bytes > 0;
      looks += 1
    ) {
      const page = await readChosenPage(read, listing, choice, next, { limit: limit - records, bytes });
      const terms = termsFrom(page.terms);
      let text = '';
      for (const record of page.records) {
        text += `${records === 0 ? '' : ','}${chosenRecordText(listing.platform, record, terms)}`;
        records += 1;
        if (text.length < MADE_AT_ONCE) continue;
        pieces.push(Buffer.from(text));
        text = '';
        await this.loopTime.turnToGoOn(customerId);
      }
      pieces.push(Buffer.from(text));
      bytes -= page.bytes;
      next = page.next;
    }
    return { pieces, records, next };
  }
}

function choiceOf(query: ObjectsQuery): Choice {
  const time = query.modified_after === undefined ? undefined : timeFrom(query.modified_after);
  return {
    ...(query.canonical_id !== undefined && { canonicalId: query.canonical_id }),
    ...(time !== undefined && { modifiedAfter: time }),
    ...(query.include_deleted === 'true' && { includeDeleted: true }),
  };
}

type PlaceText = readonly [string, string];

function isPosition(position: readonly unknown[]): position is PlaceText {
  return position.length === 2 && position.every((value) => typeof value === 'string');
}

function placeOf([nativeOrder, platformId]: PlaceText): RecordPlace {
  return { nativeOrder, platformId };
}
