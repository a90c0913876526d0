import { isStorableText, parseJsonText, type JsonValue } from '@app/mapper';
import { hash } from 'node:crypto';
import { invalidInput } from '../errors/api-error';

/** Most elements that one page may hold, and how many it holds where a caller does not say. */
export const PAGE_SIZE = { most: 500, usual: 100 } as const;

/** Characters of the longest cursor that is looked at. Node refuses longer targets anyway; native IDs are shorter. */
export const LONGEST_CURSOR = 8_000;

/** Raised when positions get another form, so that cursors of an earlier release are refused, not misread. */
const CURSOR_VERSION = 1;

/** What a query asks for beside its page: a cursor only goes on with the same. */
export type PagedQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** Where a page goes on: the sort keys of the last element that was given. */
export type Position = readonly (string | number | null)[];

/** A page of a longer result. `data` is what a handler would otherwise return. */
export class Paged<Data> {
  /**
   * @param data also JsonBytes or JsonText, which go out as they are
   * @param nextCursor of the next page; null on the last one
   * @param beside further members that the answer has beside `data`
   */
  constructor(
    readonly data: Data,
    readonly nextCursor: string | null,
    readonly beside: Readonly<Record<string, unknown>> = {},
  ) {}
}

/** The cursor of a position: opaque text of letters, digits, `-` and `_`. It is no secret and proves nothing. */
export function encodeCursor(query: PagedQuery, position: Position): string {
  return Buffer.from(JSON.stringify([CURSOR_VERSION, bindingOf(query), position])).toString('base64url');
}

/**
 * The position of a cursor that {@link encodeCursor} made for the same query. It comes from outside: whatever it is used for
 * has to be the customer's own, and a parameter of its statement.
 *
 * @param isPosition whether a list has the form of this query's positions
 * @throws ApiError 400 for any other text, and for a cursor of another query
 */
export function decodeCursor<P extends Position>(
  cursor: string,
  query: PagedQuery,
  isPosition: (position: readonly unknown[]) => position is P,
): P {
  const [version, binding, position] = listIn(cursor) ?? [];
  if (
    version !== CURSOR_VERSION ||
    !Array.isArray(position) ||
    !isPosition(position) ||
    !isStorable(position)
  )
    throw invalidInput(['cursor is not one that this service gave out']);
  if (binding !== bindingOf(query))
    throw invalidInput(['cursor belongs to a query with other parameters; start again without it']);
  return position;
}

/**
 * The target of `Link: <…>; rel="next"` (RFC 8288): the request's own, with the cursor of the next page.
 *
 * @param target path and query of the request, as it came in
 */
export function nextLink(target: string, nextCursor: string): string {
  const [path = ''] = target.split('?', 1);
  const others = target
    .slice(path.length + 1)
    .split('&')
    .filter((pair) => pair !== '' && !/^cursor(?:=|$)/.test(pair));
  // What would end the reference early, or a header's line, came in encoded or is encoded here.
  const safe = [...others, `cursor=${nextCursor}`]
    .join('&')
    .replace(/[^\w%&=+.~:@/!$'()*,;?-]/g, encodeURIComponent);
  return `<${path.replace(/[^\w%&=+.~:@/!$'()*,;-]/g, encodeURIComponent)}?${safe}>; rel="next"`;
}

/** A digest of what the query asks for, whatever the order of its parameters. */
function bindingOf(query: PagedQuery): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  given.sort(([one], [other]) => (one < other ? -1 : 1));
  return hash('sha256', JSON.stringify(given), 'base64url').slice(0, 22);
}

function listIn(cursor: string): readonly unknown[] | undefined {
  if (cursor.length > LONGEST_CURSOR || !/^[\w-]+$/.test(cursor)) return undefined;
  let value: JsonValue;
  try {
    value = parseJsonText(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined; // Broken text is no cursor, however it is broken.
  }
  return Array.isArray(value) ? value : undefined;
}

function isStorable(position: Position): boolean {
  return position.every((value) => typeof value !== 'string' || isStorableText(value));
}
