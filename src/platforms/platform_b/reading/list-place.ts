import { hash } from 'node:crypto';
import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '@app/mapper';

/** The most pages of one list: a list whose links lead in a circle never ends. */
const MOST_PAGES = 100_000;

/** Empty pages one after another. */
const MOST_EMPTY_PAGES = 100;

/** A place in a list. It is stored between pages, so its size does not grow with the list. */
export interface ListPlace {
  /** The address of the list, or the link to its next page, as the platform wrote it. */
  readonly url: string;
  /** Maximum number of records of a page. */
  readonly size: number;
  /** Detects repeated pages: a digest of the last page, a digest of an earlier page, and the number of pages so far. */
  readonly last: string;
  readonly mark: string;
  readonly pages: number;
  /** Empty pages since the last record. */
  readonly empty: number;
}

export function beginningOf(url: string, size: number): ListPlace {
  return { url, size, last: '', mark: '', pages: 0, empty: 0 };
}

/**
 * The place after a page; undefined if the list would never end: the page was read before, or too many pages are empty, or
 * too many were read. Each page is compared with the previous page and with the page whose number is the last power of
 * two. A page that follows itself is detected at once, a longer circle during its second pass at the latest.
 */
export function placeBehind(
  place: ListPlace,
  nextLink: string,
  records: readonly JsonObject[],
): ListPlace | undefined {
  const shown = digestOf(place, records);
  if (shown === place.last || shown === place.mark || nextLink === place.url) return undefined;
  const pages = place.pages + 1;
  const empty = records.length === 0 ? place.empty + 1 : 0;
  if (pages > MOST_PAGES || empty > MOST_EMPTY_PAGES) return undefined;
  const isPowerOfTwo = (pages & (pages - 1)) === 0;
  const mark = isPowerOfTwo ? shown : place.mark;
  return { url: nextLink, size: place.size, last: shown, mark, pages, empty };
}

/** A stored place; undefined for any other value. */
export function readPlace(value: JsonValue | undefined): ListPlace | undefined {
  if (!isJsonObject(value)) return undefined;
  const [url, last, mark] = ['url', 'last', 'mark'].map((name) => ownMember(value, name));
  const [size, pages, empty] = ['size', 'pages', 'empty'].map((name) => ownMember(value, name));
  if (typeof url !== 'string' || typeof last !== 'string' || typeof mark !== 'string') return undefined;
  if (typeof size !== 'number' || typeof pages !== 'number' || typeof empty !== 'number') return undefined;
  return { url, size, last, mark, pages, empty };
}

// Empty pages may follow one another. Their links differ.
function digestOf({ url }: ListPlace, records: readonly JsonObject[]): string {
  const ids = records.map((record) => ownMember(record, 'id'));
  const text = ids.length === 0 ? `link ${url}` : `records ${ids.map(String).join()}`;
  return hash('sha256', text, 'base64').slice(0, 22);
}
