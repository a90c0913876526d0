import { parseJsonText, type JsonValue } from '@app/mapper';
import { hash } from 'node:crypto';
import { invalidInput } from '../errors/api-error';

/** Most elements that one page may hold, and how many it holds where a caller does not say. */
export const PAGE_SIZE = { most: 500, usual: 100 } as const;

/** Characters of the longest cursor that is looked at. Node refuses longer targets anyway; native IDs are shorter. */
export const LONGEST_CURSOR = 8_000;

/** Raised when positions get another form, so that cursors of an earlier release are refused, not misread. */
const CURSOR_VERSION = 2;

/** What a query asks for beside its page: a cursor only goes on with the same. */
export type PagedQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** Where a page goes on: the sort keys of the last element that was given. */
export type Position = readonly (string | number)[];

/** For each sort key of a position, whether a value from outside can be one. */
export type SortKeys<P extends Position> = {
  readonly [Place in keyof P]: (value: unknown) => value is P[Place];
};

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

/**
 * The cursors of one list. A cursor belongs to its list, to the customer and to the parameters of its query. It is no secret
 * and proves nothing: a position from outside has the types that its sort keys have, and is a parameter of a statement that
 * reads rows of the caller alone.
 */
export class Cursors<P extends Position> {
  /**
   * @param list names the list, and the order where it has several
   * @param keys of a position, in their order. What they admit the database takes
   */
  constructor(
    private readonly list: string,
    private readonly keys: SortKeys<P>,
  ) {}

  /** The cursor of a position: opaque text of letters, digits, `-` and `_`. */
  encode(customerId: string, query: PagedQuery, position: P): string {
    const binding = this.bindingOf(customerId, query);
    return Buffer.from(JSON.stringify([CURSOR_VERSION, binding, position])).toString('base64url');
  }

  /**
   * The position of a cursor that {@link encode} made for the same query of the same customer.
   *
   * @throws ApiError 400 for any other text, and for a cursor of another query
   */
  decode(customerId: string, query: PagedQuery, cursor: string): P {
    const [version, binding, position] = listIn(cursor) ?? [];
    if (version !== CURSOR_VERSION || !Array.isArray(position))
      throw invalidInput(['cursor is not one that this service gave out']);
    // First: the keys of another list would be as wrong, and say less.
    if (binding !== this.bindingOf(customerId, query))
      throw invalidInput(['cursor belongs to a query with other parameters; start again without it']);
    if (!this.isPosition(position)) throw invalidInput(['cursor is not one that this service gave out']);
    return position;
  }

  private isPosition(position: readonly unknown[]): position is P {
    return (
      position.length === this.keys.length &&
      this.keys.every((isKey: (value: unknown) => boolean, place) => isKey(position[place]))
    );
  }

  /** A digest of what the query asks for, whatever the order of its parameters. */
  private bindingOf(customerId: string, query: PagedQuery): string {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    given.sort(([one], [other]) => (one < other ? -1 : 1));
    return hash('sha256', JSON.stringify([this.list, customerId, given]), 'base64url').slice(0, 22);
  }
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
