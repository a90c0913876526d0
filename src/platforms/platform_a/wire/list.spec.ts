import { stringifyJson, type JsonValue } from '@app/mapper';
import type { PlatformRequest } from '../../live/platform-request';
import { PlatformResponse } from '../../live/platform-response';
import type { PlatformResult } from '../../live/platform-result';
import { listAt, readList, type ListPage, type ListState } from './list';
import { nextIn } from './link-header';
import { Session } from './session';

const API = 'https://api.example';
const signal = new AbortController().signal;

/** A page of a list: IDs, what it leads to, and how many rows the list says it has. */
type ScriptedPage = readonly [ids: readonly number[], next: string | null, total?: number];

function answering(...answers: readonly ScriptedPage[]): {
  readonly session: Session;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const send = ({ url }: PlatformRequest): Promise<PlatformResult> => {
    const [ids, next, total] = answers[asked.length] ?? [[], null];
    asked.push(url.slice(API.length));
    const rows: JsonValue = ids.map((id) => ({ id }));
    const headers = {
      ...(next !== null && { link: `<${API}/x?page=1>; rel="first", <${next}>; rel="next"` }),
      ...(total !== undefined && { total: String(total) }),
    };
    const response = new PlatformResponse(200, headers, Buffer.from(stringifyJson(rows)));
    return Promise.resolve({ kind: 'answered', response });
  };
  const connection = { customerId: 'c', platform: 'platform_a' } as const;
  return {
    session: new Session(connection, { api_url: API, company_id: '1' }, { send }, signal, () => new Date(0)),
    asked,
  };
}

async function read(session: Session, from?: ListState): Promise<ListPage[]> {
  const first = listAt(session, '/x', []);
  const pages: ListPage[] = [];
  for await (const page of readList(session, first, from ?? first)) pages.push(page);
  return pages;
}
const wholeness = (pages: readonly ListPage[]) => pages.map(({ whole }) => whole);

describe('a list', () => {
  it('is read by its links to the end', async () => {
    const { session, asked } = answering([[1, 2], `${API}/x?page=2`, 3], [[3], null, 3]);
    expect(wholeness(await read(session))).toEqual([undefined, true]);
    expect(asked).toEqual(['/x?per_page=100', '/x?page=2']);
  });

  it('needs neither links nor a total', async () => {
    expect(wholeness(await read(answering([[1, 2], null]).session))).toEqual([true]);
  });

  it('is read on the host of the connection, whatever a link names', async () => {
    const { session, asked } = answering([[1], 'https://elsewhere.example/x?page=2', 2], [[2], null, 2]);
    await read(session);
    expect(asked[1]).toBe('/x?page=2');
  });

  it('is read once more when it showed fewer rows than it has', async () => {
    const { session, asked } = answering([[1], null, 2], [[1, 2], null, 2]);
    expect(wholeness(await read(session))).toEqual([undefined, true]);
    expect(asked).toHaveLength(2);
  });

  it('is not whole when it does so again', async () => {
    const { session, asked } = answering([[1, 1], null, 2], [[1, 1], null, 2]);
    expect(wholeness(await read(session))).toEqual([undefined, false]);
    expect(asked).toHaveLength(2);
  });

  it('is read once more when its length changed on the way: a row may have slipped to a page that was read', async () => {
    const { session } = answering(
      [[1, 2], `${API}/x?page=2`, 4],
      [[4], null, 3],
      [[2, 3], `${API}/x?page=2`, 3],
      [[4], null, 3],
    );
    expect(wholeness(await read(session))).toEqual([undefined, undefined, undefined, true]);
  });

  it('goes on from a page with what was counted before', async () => {
    const [page] = await read(answering([[1, 2], `${API}/x?page=2`, 3]).session);
    const { session, asked } = answering([[3], null, 3]);
    expect(wholeness(await read(session, page?.next ?? undefined))).toEqual([true]);
    expect(asked).toEqual(['/x?page=2']);
  });

  it('does not lead in circles', async () => {
    const { session } = answering(
      [[1], `${API}/x?page=2`],
      [[2], `${API}/x?page=2`],
      [[2], `${API}/x?page=2`],
    );
    await expect(read(session)).rejects.toThrow('platform_a leads from page to page without end');
  });
});

describe('a list that always has a next page', () => {
  const endless = (ids: readonly number[]) =>
    answering(
      ...Array.from({ length: 1_000 }, (_, page): ScriptedPage => [ids, `${API}/x?page=${page + 2}`]),
    );

  it.each([
    ['the same rows', [1, 2]],
    ['no rows', []],
  ])('and shows %s is given up', async (_what, ids) => {
    const { session, asked } = endless(ids);
    await expect(read(session)).rejects.toThrow('platform_a leads from page to page without end');
    expect(asked.length).toBeLessThan(110);
  });

  it('may have pages without a new row in between', async () => {
    const idle = Array.from({ length: 90 }, (_, page): ScriptedPage => [[], `${API}/x?page=${page + 2}`]);
    const { session } = answering([[1], `${API}/x?page=1000`, 2], ...idle, [[2], null, 2]);
    expect(wholeness(await read(session)).at(-1)).toBe(true);
  });
});

describe('the link to the next page', () => {
  it.each([
    ['<https://a/x?page=2>; rel="next"', 'https://a/x?page=2'],
    ['<https://a/x?page=1>; rel="prev", <https://a/x?a=1,2&page=3>; rel="next"', 'https://a/x?a=1,2&page=3'],
    ['<https://a/x>;rel=next', 'https://a/x'],
    ['<https://a/x>; title="x"; rel="last next"', 'https://a/x'],
    ['<https://a/x?page=1>; rel="first", <https://a/x?page=9>; rel="last"', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('of %p is %p', (header, next) => expect(nextIn(header)).toBe(next));
});
