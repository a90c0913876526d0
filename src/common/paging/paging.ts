import { parseJsonText, type JsonValue } from '@app/mapper';
import { hash } from 'node:crypto';
import { unescape } from 'node:querystring';
import { invalidInput } from '../errors/api-error';

/** Maximum and default number of elements of a page. */
export const PAGE_SIZE = { most: 500, usual: 100 } as const;

/** Maximum characters of a cursor that is parsed. Node refuses longer targets anyway; native IDs are shorter. */
export const LONGEST_CURSOR = 8_000;

/** Increased when the form of positions changes, so that cursors of an earlier release are refused and not misread. */
const CURSOR_VERSION = 2;

/** The parameters of a query besides its page. A cursor is only valid for the same parameters. */
export type PagedQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** Where a page starts: the sort keys of the last element of the previous page. */
export type Position = readonly (string | number)[];

/** For each sort key of a position, whether an external value is valid. */
export type SortKeys<P extends Position> = {
  readonly [Place in keyof P]: (value: unknown) => value is P[Place];
};

/** A page of a longer result. `data` is the handler's result otherwise. */
export class Paged<Data> {
  /**
   * @param data also JsonBytes or JsonText, which are sent unchanged
   * @param nextCursor of the next page; null on the last one
   * @param beside further members of the response beside `data`
   */
  constructor(
    readonly data: Data,
    readonly nextCursor: string | null,
    readonly beside: Readonly<Record<string, unknown>> = {},
  ) {}
}

/**
 * The cursors of one list. A cursor belongs to its list, to the customer and to the parameters of its query. It is not
 * a secret and proves nothing: the types of an external position are checked against the sort keys, and the position is
 * a parameter of a statement that reads only the caller's rows.
 */
export class Cursors<P extends Position> {
  /**
   * @param list names the list, and the order if it has several
   * @param keys of a position, in their order. The database accepts every value that they admit
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
    // Checked first: the sort keys of another list would be wrong too, with a less helpful message.
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

  /** A digest of the query's parameters, regardless of their order. */
  private bindingOf(customerId: string, query: PagedQuery): string {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    given.sort(([one], [other]) => (one < other ? -1 : 1));
    return hash('sha256', JSON.stringify([this.list, customerId, given]), 'base64url').slice(0, 22);
  }
}

/**
 * The target of `Link: <…>; rel="next"` (RFC 8288): the request's target with the cursor of the next page.
 *
 * @param target path and query of the request, as received
 */
export function nextLink(target: string, nextCursor: string): string {
  const [path = ''] = target.split('?', 1);
  const others = target
    .slice(path.length + 1)
    .split('&')
    .filter((pair) => pair !== '' && unescape(pair.split('=', 1)[0] ?? '') !== 'cursor');
  // Characters that would end the reference early, or a header's line, are already encoded or are encoded here.
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
    return undefined; // A malformed cursor.
  }
  return Array.isArray(value) ? value : undefined;
}
