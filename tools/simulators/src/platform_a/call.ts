import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '@app/mapper';
import { objectBodyOf, type PathParameters, type Reply, type SimulatedRequest } from '../server';
import { filtersIn, type Filters } from './filters';
import { idText } from './ids';
import { pageReply, type PageSizes } from './paging';
import { missing, notFound, refuseFields, refuseRecord } from './refusals';
import { keyOf, type Kind, type World } from './world';
import { textOf } from './text';

const USUAL: PageSizes = { usual: 100, most: 100 };

/** A list as an operation has it, before filters and pages. */
export interface Listing {
  /** For the switch that makes a list ignore paging. */
  readonly name:
    | Kind
    | 'commitments'
    | 'line_items'
    | 'inactive_vendors'
    | 'inactive_people'
    | 'requisition_items'
    | 'budget_rows';
  readonly rows: readonly JsonObject[];
  readonly filters?: Filters;
  readonly sizes?: PageSizes;
  /** How a row is shown. */
  readonly show: (row: JsonObject) => JsonValue;
  /** Whether the list has no pages at all. */
  readonly unpaged?: boolean;
  /** Members that `sort` may name, with or without a minus. */
  readonly sorts?: readonly string[];
}

/** One request that was let in: who asks is known, its scope exists and may be seen. */
export class Call {
  constructor(
    readonly world: World,
    readonly request: SimulatedRequest,
    private readonly parameters: PathParameters,
    /** The project that the request is about; empty for the company. */
    readonly project: string,
  ) {}

  /** A part of the path. */
  path(name: string): string {
    return this.parameters[name] ?? '';
  }

  query(name: string): string | undefined {
    return this.request.query.get(name) ?? undefined;
  }

  /** The body. @throws Refusal 400 when it is no JSON object */
  body(): JsonObject {
    const body = objectBodyOf(this.request);
    if (body === undefined) throw refuseFields({ base: ['The request body is not a JSON object'] }, 400);
    return body;
  }

  /** The object under the resource's key in the body. @throws Refusal 400 without it */
  wrapped(key: string, isRequired = true): JsonObject {
    const value = ownMember(this.body(), key);
    if (isJsonObject(value)) return value;
    if (value === undefined && !isRequired) return {};
    throw missing(key);
  }

  /** An ID that stands beside the resource's key in the body. @throws Refusal 400 without it */
  bodyId(name: string): string {
    const id = idText(ownMember(this.body(), name));
    if (id === undefined) throw missing(name);
    return id;
  }

  /** @throws Refusal 400 without it */
  queryId(name: string): string {
    const id = idText(this.query(name));
    if (id === undefined) throw missing(name);
    return id;
  }

  /** A record that this call may see, as readers see it. @throws Refusal 404 */
  seen(kind: Kind, id: string, isInScope: (row: JsonObject) => boolean): JsonObject {
    const row = this.world.tables[kind].seen(id);
    if (row === undefined || !isInScope(row) || this.world.hidden.has(keyOf(kind, row))) throw notFound();
    return row;
  }

  /** A record to be written, as it is. @throws Refusal 404, or 422 for one that is locked */
  current(kind: Kind, id: string, isInScope: (row: JsonObject) => boolean): JsonObject {
    const row = this.world.tables[kind].get(id);
    if (row === undefined || !isInScope(row) || this.world.hidden.has(keyOf(kind, row))) throw notFound();
    if (this.world.locked.has(keyOf(kind, row)))
      throw refuseRecord('This record is locked and cannot be changed');
    return row;
  }

  /** One page of a list: visible rows that fit the filters. */
  list(listing: Listing): Reply {
    const { world, request } = this;
    const { switches } = world.core;
    const filtered = this.filtered(listing);
    const hidden = filtered.filter((row) => this.isHidden(listing.name, row));
    const visible = hidden.length === 0 ? filtered : filtered.filter((row) => !hidden.includes(row));
    const rows = this.sorted(listing, visible);
    return pageReply(request, rows.map(listing.show), {
      sizes: listing.sizes ?? USUAL,
      linkOnSinglePage: switches.get('linkOnSinglePage'),
      hidden: switches.get('totalCountsHidden') ? hidden.length : 0,
      unpaged: listing.unpaged === true || switches.get('unpagedLists').split(',').includes(listing.name),
    });
  }

  private filtered({ rows, filters = {} }: Listing): readonly JsonObject[] {
    const { switches } = this.world.core;
    const ends = switches.get('rangeEnds');
    const asked = [...filtersIn(this.request.query)];
    const unknown = asked.find(([name]) => !Object.hasOwn(filters, name));
    if (unknown !== undefined && switches.get('unknownFilters') === 'refused') {
      throw refuseFields({ [`filters[${unknown[0]}]`]: ['is not a known filter'] }, 400);
    }
    const known = asked.flatMap(([name, values]) => {
      const filter = Object.hasOwn(filters, name) ? filters[name] : undefined;
      return filter === undefined ? [] : [{ filter, values }];
    });
    return rows.filter((row) => known.every(({ filter, values }) => filter(row, values, ends)));
  }

  private sorted({ sorts = [] }: Listing, rows: readonly JsonObject[]): readonly JsonObject[] {
    const [, minus = '', name = ''] = /^(-?)(\w+)$/.exec(this.query('sort') ?? '') ?? [];
    if (!sorts.includes(name)) {
      return this.world.core.switches.get('listOrder') === 'newest_first' ? [...rows].reverse() : rows;
    }
    const sign = minus === '' ? 1 : -1;
    return [...rows].sort((one, other) => sign * compare(textOf(one[name]), textOf(other[name])));
  }

  private isHidden(name: Listing['name'], row: JsonObject): boolean {
    const { hidden } = this.world;
    return hidden.size > 0 && hidden.has(`${name}:${idText(row['id']) ?? ''}`);
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
