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
  readerFor,
} from '../records/objects/listing-page.repository';
import type { AnswerMemory } from '../common/response/memory/answer-memory';
import { MADE_OF_STORED } from '../common/response/memory/answer-memory';
import type { PendingAnswer } from '../common/response/memory/pending-answer';
import { agreedFrom } from '../records/terms/terms-text';
import { CanonicalTexts } from './canonical-texts';
import { FairCache } from './fair-cache';
import { canonicalText, objectRecordText } from './object-record';
import { CoalescedReads } from './coalesced-reads';
import { CACHE_BYTES, type CachedPage, type CachedListing } from './cached-listing';

/** Characters of objects that are made at a time, before other work gets its turn. */
const MADE_AT_ONCE = 64 * 1024;

/** Characters of a piece, and of one copy operation. */
const PIECE = 256 * 1024;

/** Number of records of a listing that are cached. The rest of a longer listing would evict its beginning each time. */
const REMEMBERED = 2_000;

/** Memory of a page beside its bytes. A small page keeps a whole slab of the allocator alive. */
const PAGE_BYTES = 9 * 1024;

/** Memory that is reserved for a page until it is made. */
const PAGE_MEMORY = MADE_OF_STORED * PAGE_LIMIT.payloadBytes;

/** The place of a page. */
export interface PagePlace {
  readonly position: ListingPosition;
  /** Number of records of the listing before the page. */
  readonly before: number;
}

/** A page as it is sent: its cache entry, without the fingerprint if it is not cached. */
export type Page = Omit<CachedPage, 'kind' | 'fingerprint'>;

/** A page with its memory, which is shared by all responses that requested it at the same time. */
interface LeasedPage {
  readonly page: Page;
  readonly lease: Lease;
}

/** The first page of every listing. */
export const firstPage: PagePlace = { position: listingStart, before: 0 };

/**
 * Pages of listings as bytes. A cached page is used if the database confirms that none of its inputs has changed; it is
 * queried each time. Requests for the same page in one turn of the event loop share the query.
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
   * A page, as of the call or later.
   *
   * @param answer the response that will contain the page; it holds the page's memory instead of its previous memory
   * @throws Overloaded if no memory becomes free
   */
  async page(listing: Listing, place: PagePlace, answer: PendingAnswer): Promise<Page> {
    answer.release(); // The memory of the previous page, which the client has received.
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
    // A response that has begun waits longer: it can no longer be refused, only cut off.
    const patience = place.before === 0 ? WAIT_LIMIT_MS.short : WAIT_LIMIT_MS.long;
    const lease = await this.memory.acquire(listing.customerId, PAGE_MEMORY, signal, patience);
    try {
      const page = await this.readPage(listing, place, name, signal);
      lease.resize(page.pieces.reduce((sum, piece) => sum + piece.length, 0));
      return { page, lease };
    } finally {
      // After the callers, which retain it as soon as they receive the page.
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
    const read = readerFor(this.unitOfWork, customerId, signal);
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
