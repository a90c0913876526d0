import { MADE_OF_STORED, type ResponseMemory } from '../../common/response/memory/response-memory';
import type { PendingResponse } from '../../common/response/memory/pending-response';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { agreedFrom, type Agreed } from '../../records/terms/terms-text';
import { WAIT_LIMIT_MS } from '../../runtime/fairness/admission';
import type { Lease } from '../../runtime/fairness/byte-budget';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import type { CanonicalText } from '../shown-object';
import { CACHE_BYTES, type CachedListing, type CachedPage } from './cached-listing';
import { CanonicalTexts } from './canonical-texts';
import { CoalescedReads } from './coalesced-reads';
import { FairCache } from './fair-cache';
import {
  isProbed,
  readerFor,
  readListingPage,
  UNKNOWN,
  type ListedRecord,
  type ListingPage,
  type Read,
} from './listing-page.repository';
import { PageBytes } from './page-bytes';
import { beginsAt, LARGEST_OBJECT, limitsOf, type PagePlace } from './page-place';
import { canonicalText, recordText } from './record-text';
import { isUnconditional, parametersOf, type Selection } from './selection';

/** Characters of objects that are made at a time, before other work gets its turn. */
const MADE_AT_ONCE = 64 * 1024;

/** Number of records of a listing that are cached. The rest of a longer listing would evict its beginning each time. */
const REMEMBERED = 2_000;

/** Memory of a page beside its bytes. A small page keeps a whole slab of the allocator alive. */
const PAGE_BYTES = 9 * 1024;

/** A page as it is sent: its cache entry, without the fingerprint if it is not cached. */
export type Page = Omit<CachedPage, 'kind' | 'fingerprint'>;

/** A page with its memory, which is shared by all responses that requested it at the same time. */
interface LeasedPage {
  readonly page: Page;
  readonly lease: Lease;
}

/**
 * Pages of listings as bytes. A page of a whole listing without conditions is cached, and used if the database confirms
 * that none of its inputs has changed; it is queried each time. Requests for the same page in one turn of the event loop
 * share the query.
 */
export class ListingPages {
  private readonly cache: FairCache<CachedListing>;
  private readonly texts: CanonicalTexts;
  private readonly shared = new CoalescedReads<LeasedPage>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLoop: EventLoopScheduler,
    private readonly memory: ResponseMemory,
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
  async page(selection: Selection, place: PagePlace, answer: PendingResponse): Promise<Page> {
    answer.release(); // The memory of the previous page, which the client has received.
    const name = nameOf(selection, place);
    const { page, lease } = await this.shared.run(
      `${selection.customerId} ${name}`,
      answer.gone,
      (unwanted) => this.lease(selection, place, name, unwanted),
    );
    answer.share(lease);
    return page;
  }

  private async lease(
    selection: Selection,
    place: PagePlace,
    name: string,
    signal: AbortSignal,
  ): Promise<LeasedPage> {
    const { customerId, canonicalId } = selection;
    // A response that has begun waits longer: it can no longer be refused, only cut off.
    const patience = beginsAt(place) ? WAIT_LIMIT_MS.short : WAIT_LIMIT_MS.long;
    const most = (canonicalId === undefined ? place.position.records : 1) * LARGEST_OBJECT;
    const stored = Math.min(limitsOf(place, selection).bytes, most);
    const lease = await this.memory.acquire(customerId, MADE_OF_STORED * stored, signal, patience);
    try {
      const page = await this.readPage(selection, place, name, signal);
      lease.resize(sizeOf(page.pieces));
      return { page, lease };
    } finally {
      // After the callers, which retain it as soon as they receive the page.
      setImmediate(() => lease.release());
    }
  }

  private async readPage(
    selection: Selection,
    place: PagePlace,
    name: string,
    signal: AbortSignal,
  ): Promise<Page> {
    const { customerId } = selection;
    const read = readerFor(this.unitOfWork, customerId, signal);
    if (place.isResponse || place.before >= REMEMBERED || !isUnconditional(selection))
      return this.make(selection, place, read);
    const found = this.cache.get(customerId, name);
    const known = found?.kind === 'page' ? found : undefined;
    const page = await readListingPage(read, selection, place.position, {
      bytes: limitsOf(place, selection).bytes,
      known: known?.fingerprint ?? UNKNOWN,
    });
    if (page === undefined && known !== undefined) return known;
    if (page?.fingerprint === undefined) throw new Error('A page came without its fingerprint');
    const { fingerprint } = page;
    const made = { kind: 'page', fingerprint, ...(await this.make(selection, place, read, page)) } as const;
    this.cache.set(customerId, name, made, sizeOf(made.pieces) + PAGE_BYTES + 2 * name.length);
    return made;
  }

  /** @param first what the first statement has read, if it was executed */
  private async make(selection: Selection, place: PagePlace, read: Read, first?: ListingPage): Promise<Page> {
    const { before, position, isResponse } = place;
    // A listing that is read by cursors may be long, and one with conditions has texts of its own each time.
    const kept = isResponse || !isUnconditional(selection) ? 0 : REMEMBERED - before;
    const bytes = new PageBytes(before, beginsAt(place));
    let { bytes: room, statements } = limitsOf(place, selection);
    let next: ListingPage['next'] = position;
    let page = first;
    let isProbe = isProbed(selection, position);
    do {
      const records = position.records - bytes.records;
      page ??= await readListingPage(read, selection, isResponse ? { ...next, records } : next, {
        bytes: room,
        isProbe,
      });
      if (page === undefined) throw new Error('A page that is not known did not come');
      await this.add(bytes, selection, page, kept);
      room -= page.bytes;
      next = page.next;
      page = undefined;
      if (!isProbe) statements -= 1;
      isProbe = false;
    } while (statements > 0 && next !== undefined && bytes.records < position.records && room > 0);
    bytes.end(isResponse || next === undefined);
    return { pieces: bytes.pieces, records: bytes.records, next };
  }

  /** @param kept number of records of the page whose texts are cached */
  private async add(
    bytes: PageBytes,
    { customerId }: Selection,
    { records, terms }: ListingPage,
    kept: number,
  ): Promise<void> {
    const agreed = agreedFrom(terms);
    let made = 0;
    for (const record of records) {
      const known = record.isThere ? this.texts.known(customerId, record.rows, agreed) : undefined;
      const canonical = known ?? this.canonical(customerId, record, agreed, bytes.records < kept);
      const text = recordText(record, canonical);
      const isFull = bytes.add(text);
      if (known === undefined) made += text.length;
      if (!isFull && made < MADE_AT_ONCE) continue;
      made = 0;
      await this.eventLoop.waitToContinue(customerId);
    }
  }

  private canonical(
    customerId: string,
    { rows, isThere }: ListedRecord,
    agreed: Agreed,
    keep: boolean,
  ): CanonicalText {
    return isThere
      ? this.texts.made(customerId, rows, agreed, keep)
      : canonicalText(rows, agreed.terms, isThere);
  }
}

function sizeOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

// An object's key is its canonical ID, which has no space.
function nameOf(selection: Selection, { position, before, isResponse }: PagePlace): string {
  const { nativeOrder, platformId, records } = position;
  const { platform = '', entityType } = selection;
  const place = JSON.stringify([nativeOrder, platformId]);
  if (!isResponse && isUnconditional(selection)) return `${platform} ${entityType} ${records} ${place}`;
  return `${platform} ${entityType} ${records} ${place} ${JSON.stringify([before, isResponse, parametersOf(selection)])}`;
}
