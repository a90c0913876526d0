import { UnitOfWork } from '../database/transaction/unit-of-work';
import { EventLoopScheduler } from '../runtime/fairness/event-loop-scheduler';
import type { Lease } from '../runtime/fairness/byte-budget';
import { WAIT_LIMIT_MS } from '../runtime/fairness/admission';
import {
  listingStart,
  PAGE_LIMIT,
  readChangedPage,
  readListingPage,
  UNKNOWN,
  type Listing,
  type ListingPage,
  type ListingPosition,
  type Read,
} from '../records/listing-page';
import type { AnswerMemory } from '../common/response/answer-memory';
import { MADE_OF_STORED } from '../common/response/answer-memory';
import type { PendingAnswer } from '../common/response/pending-answer';
import { agreedFrom } from '../records/terms/terms-text';
import { CanonicalTexts } from './canonical-texts';
import { FairCache } from './fair-cache';
import { canonicalText, objectRecordText } from './object-record';
import { CoalescedReads } from './coalesced-reads';
import { CACHE_BYTES, type CachedPage, type CachedListing } from './cached-listing';

/** Characters of objects that are made in one go, before others have their turn. */
const MADE_AT_ONCE = 64 * 1024;

/** Characters of a piece, and of what is copied in one go. */
const PIECE = 256 * 1024;

/** Records of a listing that are remembered. Of a longer one the rest would push out its beginning each time. */
const REMEMBERED = 2_000;

/** What a page takes beside its bytes; a small one keeps a whole slab of the allocator's. */
const PAGE_BYTES = 9 * 1024;

/** Memory that is reserved for a page until it is made. */
const PAGE_MEMORY = MADE_OF_STORED * PAGE_LIMIT.payloadBytes;

/** Where a page is. */
export interface PagePlace {
  readonly position: ListingPosition;
  /** Records of the listing before it. */
  readonly before: number;
}

/** A page as it goes out: what is remembered of it, without its fingerprint where it is not remembered. */
export type Page = Omit<CachedPage, 'kind' | 'fingerprint'>;

/** A page with the memory that it takes, which all answers share that have asked for it at the same time. */
interface LeasedPage {
  readonly page: Page;
  readonly lease: Lease;
}

/** The first page of every listing. */
export const firstPage: PagePlace = { position: listingStart, before: 0 };

/**
 * Pages of listings as bytes. A page that was made before is used again when the database says that nothing it follows from
 * has changed; it is asked each time. Requests of one turn of the loop that are for the same page share the asking.
 */
export class ListingPages {
  private readonly cache: FairCache<CachedListing>;
  private readonly texts: CanonicalTexts;
  private readonly shared = new CoalescedReads<LeasedPage>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLoop: EventLoopScheduler,
    private readonly memory: AnswerMemory,
    bytes = CACHE_BYTES,
  ) {
    this.cache = new FairCache(bytes);
    this.texts = new CanonicalTexts(canonicalText, this.cache);
  }

  /**
   * A page, as it is when it is asked for or later.
   *
   * @param answer of which the page becomes a part: it holds the page's memory in place of what it held
   * @throws Overloaded when no memory comes free
   */
  async page(listing: Listing, place: PagePlace, answer: PendingAnswer): Promise<Page> {
    answer.release(); // Of the page before, which its client has taken.
    const name = nameOf(listing, place.position);
    const { page, lease } = await this.shared.run(`${listing.customerId} ${name}`, answer.gone, (unwanted) =>
      this.lease(listing, place, name, unwanted),
    );
    answer.share(lease);
    return page;
  }

  private async lease(
    listing: Listing,
    place: PagePlace,
    name: string,
    signal: AbortSignal,
  ): Promise<LeasedPage> {
    // What has begun waits longer: it cannot be refused any more, only cut off.
    const patience = place.before === 0 ? WAIT_LIMIT_MS.short : WAIT_LIMIT_MS.long;
    const lease = await this.memory.acquire(listing.customerId, PAGE_MEMORY, signal, patience);
    try {
      const page = await this.readPage(listing, place, name, signal);
      lease.resize(page.pieces.reduce((sum, piece) => sum + piece.length, 0));
      return { page, lease };
    } finally {
      // Behind those who asked: they retain it as soon as they hear of the page.
      setImmediate(() => lease.release());
    }
  }

  private async readPage(
    listing: Listing,
    { position, before }: PagePlace,
    name: string,
    signal: AbortSignal,
  ): Promise<Page> {
    const { customerId } = listing;
    const read: Read = (sql, parameters) => this.unitOfWork.read(sql, parameters, { customerId, signal });
    if (before >= REMEMBERED) {
      const page = await readListingPage(read, listing, position);
      return this.make(listing, page, before);
    }
    const found = this.cache.get(customerId, name);
    const known = found?.kind === 'page' ? found : undefined;
    const page = await readChangedPage(read, listing, position, known?.fingerprint ?? UNKNOWN);
    if (page === undefined && known !== undefined) return known;
    if (page?.fingerprint === undefined) throw new Error('A page came without its fingerprint');
    const { fingerprint } = page;
    const made = { kind: 'page', fingerprint, ...(await this.make(listing, page, before)) } as const;
    const bytes = made.pieces.reduce((sum, piece) => sum + piece.length, PAGE_BYTES + 2 * name.length);
    this.cache.set(customerId, name, made, bytes);
    return made;
  }

  private async make(listing: Listing, { records, terms, next }: ListingPage, before: number): Promise<Page> {
    const agreed = agreedFrom(terms);
    const pieces: Buffer[] = [];
    let text = before === 0 ? '[' : '';
    let made = 0;
    for (const [place, record] of records.entries()) {
      const known = this.texts.known(listing.customerId, record.rows, agreed);
      const canonical =
        known ?? this.texts.made(listing.customerId, record.rows, agreed, before + place < REMEMBERED);
      const length = text.length;
      if (before + place > 0) text += ',';
      text += objectRecordText(listing.platform, record, canonical);
      if (known === undefined) made += text.length - length;
      if (text.length >= PIECE) {
        pieces.push(Buffer.from(text));
        text = '';
      } else if (made < MADE_AT_ONCE) continue;
      made = 0;
      await this.eventLoop.waitToContinue(listing.customerId);
    }
    if (next === undefined) text += ']';
    if (text !== '') pieces.push(Buffer.from(text));
    return { pieces, records: records.length, next };
  }
}

// An object's key is its canonical ID, which has no space.
function nameOf({ platform, entityType }: Listing, position: ListingPosition): string {
  const { nativeOrder, platformId, records } = position;
  return `${platform} ${entityType} ${records} ${JSON.stringify([nativeOrder, platformId])}`;
}
