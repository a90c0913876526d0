import { PAGE_SIZE } from '../../common/paging/paging';
import type { ListingPosition } from './listing-page.repository';
import type { Selection } from './selection';

const MB = 1024 * 1024;

/** Bytes that are reckoned for one object: two records of 256 KB, each as it is and as an open write will make it. */
export const LARGEST_OBJECT = MB;

/** What one page of a whole listing holds at most. The first record always comes, however large it is. */
const PAGE_LIMIT = { records: 200, payloadBytes: MB } as const;

/** Limits of a page that is a response of its own. It takes up to so many statements, and is then sent as it is. */
const ANSWER_LIMIT = { payloadBytes: 4 * MB, statements: 4 } as const;

/** The most statements of a page of what changed since a time: each looks up the changes anew. */
const STATEMENTS_OF_CHANGES = 1;

/** The position of a page, and its limits. */
export interface PagePlace {
  readonly position: ListingPosition;
  /** Number of records of the answer before the page. */
  readonly before: number;
  /** Whether the page is an answer of its own, not a part of the whole listing. */
  readonly isResponse: boolean;
}

/** The first page of every whole listing. */
export const firstPage: PagePlace = {
  position: { nativeOrder: '', platformId: '', records: PAGE_LIMIT.records },
  before: 0,
  isResponse: false,
};

/**
 * A page that is an answer of its own.
 *
 * @param after the last record of the page before; undefined for the first page
 * @param records the most records
 */
export function answerPage(
  after: readonly [nativeOrder: string, platformId: string] | undefined,
  records: number = PAGE_SIZE.usual,
): PagePlace {
  const [nativeOrder, platformId] = after ?? ['', ''];
  return { position: { nativeOrder, platformId, records }, before: 0, isResponse: true };
}

/** The most bytes and statements of a page. */
export function limitsOf(
  { isResponse }: PagePlace,
  { modifiedAfter }: Pick<Selection, 'modifiedAfter'>,
): { readonly bytes: number; readonly statements: number } {
  return isResponse
    ? {
        bytes: ANSWER_LIMIT.payloadBytes,
        statements: modifiedAfter === undefined ? ANSWER_LIMIT.statements : STATEMENTS_OF_CHANGES,
      }
    : { bytes: PAGE_LIMIT.payloadBytes, statements: 1 };
}

/** Whether a JSON array begins with the page. */
export function beginsAt({ isResponse, position }: PagePlace): boolean {
  return isResponse || (position.nativeOrder === '' && position.platformId === '');
}
