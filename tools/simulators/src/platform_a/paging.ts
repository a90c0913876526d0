import type { JsonValue } from '@app/mapper';
import type { Reply, SimulatedRequest } from '../server';

/** Sizes of the pages of a list. */
export interface PageSizes {
  readonly usual: number;
  readonly most: number;
}

export interface PageSettings {
  readonly sizes: PageSizes;
  readonly linkOnSinglePage: boolean;
  /** Rows that exist and are not shown, where they count. */
  readonly hidden: number;
  /** The whole list at once, whatever is asked. */
  readonly unpaged: boolean;
}

/** One page of a list with its headers. Sizes above the cap are lowered without a word. */
export function pageReply(
  request: SimulatedRequest,
  rows: readonly JsonValue[],
  settings: PageSettings,
): Reply {
  const { sizes, hidden, unpaged } = settings;
  if (unpaged) return { status: 200, json: rows };
  const size = Math.min(positive(request.query.get('per_page')) ?? sizes.usual, sizes.most);
  const page = positive(request.query.get('page')) ?? 1;
  const last = Math.max(1, Math.ceil(rows.length / size));
  const link =
    last === 1 && page === 1 && !settings.linkOnSinglePage ? undefined : linkOf(request, page, last, size);
  return {
    status: 200,
    json: rows.slice((page - 1) * size, page * size),
    headers: {
      total: String(rows.length + hidden),
      'per-page': String(size),
      ...(link === undefined ? {} : { link }),
    },
  };
}

function linkOf(request: SimulatedRequest, page: number, last: number, size: number): string {
  const pages = [
    ...(page > 1 ? [['first', 1] as const, ['prev', Math.min(page - 1, last)] as const] : []),
    ...(page < last ? [['next', page + 1] as const, ['last', last] as const] : []),
    ...(last === 1 && page === 1 ? [['first', 1] as const, ['last', 1] as const] : []),
  ];
  return pages.map(([rel, target]) => `<${addressOf(request, target, size)}>; rel="${rel}"`).join(', ');
}

function addressOf({ headers, path, query }: SimulatedRequest, page: number, size: number): string {
  const next = new URLSearchParams(query);
  next.set('page', String(page));
  next.set('per_page', String(size));
  return `http://${headers['host'] ?? ''}${path}?${next.toString()}`;
}

function positive(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
}
