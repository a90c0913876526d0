import { committedDocument } from '../description/api-description';
import { api, type ApiResponse } from '../app/api';
import { csvOf } from './exported-files';
import { platforms, storedTypes } from './portfolio';

/** Texts of answers by their paths. */
export type WholeReading = ReadonlyMap<string, string>;

/** It shows the state of the process, not stored data. */
const OF_THE_PROCESS = '/health';

/**
 * Members that differ between equal states: when something was read or compared, and bytes that are counted in the
 * background.
 */
const OF_THE_READING = [
  /"history_bytes":\d+,"kept_answers_bytes":\d+/g,
  /"compared":\{"as_of":"[^"]+"/g,
  /^(as of|request),.*$/gm,
];

/** Routes that a sandbox refuses; their refusal counts as read. */
const OF_LIVE_PLATFORMS = '/platforms/{platform}/requests';

/** The page size is small, so that cursors are used too. */
const PAGE = 7;

/** The forms of a listing of objects besides the plain one. */
const LISTINGS = ['', '&sort=number', '&include_deleted=true', '&q=a&count=true'];

/**
 * Reads everything that the public API shows to a key, by every route that reads. Equal states give equal texts.
 *
 * @param asOf time of statements and cases; otherwise they are of the present
 * @throws Error naming described routes that showed nothing
 */
export async function readWhole(url: string, key: string, asOf: string): Promise<WholeReading> {
  const client = api(url, key);
  const texts = new Map<string, string>();
  const shown = new Set<string>();
  const keep = (path: string, text: string): void => {
    texts.set(
      path,
      OF_THE_READING.reduce((rest, differing) => rest.replace(differing, ''), text),
    );
  };
  const look = async (path: string): Promise<ApiResponse> => {
    const answer = await client.get(path, { 'X-Request-ID': 'req_ofthereader' });
    const etag = answer.headers.get('ETag') ?? '';
    keep(path, `${answer.status} ${etag} ${answer.text}`);
    const route = routeOf(path);
    if (answer.status === 200 || route === OF_LIVE_PLATFORMS) shown.add(route);
    return answer;
  };
  /** @returns the IDs that the listed rows have in a member */
  const lookAtPages = async (path: string, member = 'id'): Promise<readonly string[]> => {
    const paged = `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}`;
    const seen = new Set<string>();
    const ids = new Set<string>();
    for (let next = ''; !seen.has(next);) {
      seen.add(next);
      const { body } = await look(next === '' ? paged : `${paged}&cursor=${encodeURIComponent(next)}`);
      for (const row of body.data ?? []) ids.add(row[member]);
      next = body.next_cursor ?? '';
    }
    return [...ids];
  };
  const lookAtFile = async (path: string): Promise<void> => {
    keep(`${path} as a file`, await csvOf(url, key, path));
  };

  for (const path of ['/me', '/connections', '/rates', '/precedence', '/rules', '/fields', '/schema'])
    await look(path);
  for (const path of ['/openapi.json', ...platforms.map(requestsOf)]) await look(path);
  const objects = new Set<string>();
  for (const type of storedTypes) {
    await look(`/schema/${type}`);
    for (const platform of platforms) {
      const list = `/objects?platform=${platform}&entity_type=${type}`;
      for (const form of LISTINGS)
        for (const id of await lookAtPages(`${list}${form}`, 'canonical_id')) objects.add(id);
      await lookAtFile(list);
    }
  }
  for (const id of objects) {
    await look(`/objects/${id}`);
    await look(`/objects/${id}?as_of=${asOf}`);
    await lookAtPages(`/objects/${id}/history`);
  }
  for (const id of await lookAtPages('/propagations', 'propagation_id')) await look(`/propagations/${id}`);
  for (const path of ['/events', '/reconciliation/decisions']) await lookAtPages(path);
  for (const currency of ['USD', 'JPY']) await look(`/reconciliation?currency=${currency}&as_of=${asOf}`);
  for (const id of await lookAtPages('/reconciliation/signoffs'))
    await look(`/reconciliation/signoffs/${id}`);
  const cases = `/reconciliation/cases?as_of=${asOf}`;
  for (const id of await lookAtPages(cases)) await look(`/reconciliation/cases/${encodeURIComponent(id)}`);
  await lookAtFile(cases);
  const { body: endpoints } = await look('/webhook-endpoints');
  for (const { id } of endpoints.data as readonly { readonly id: string }[]) {
    await look(`/webhook-endpoints/${id}`);
    await lookAtPages(`/webhook-endpoints/${id}/deliveries`);
  }

  const hidden = readingRoutes().filter((route) => !shown.has(route));
  if (hidden.length > 0) throw new Error(`Nothing was shown by ${hidden.join(', ')}`);
  return texts;
}

const requestsOf = (platform: string): string => `/platforms/${platform}/requests`;

/** Routes that read, as the API's description has them. */
function readingRoutes(): readonly string[] {
  const { paths } = committedDocument() as { readonly paths: Readonly<Record<string, object>> };
  return Object.entries(paths)
    .filter(([, operations]) => 'get' in operations)
    .map(([path]) => path.replace(/^\/api\/v1/, ''))
    .filter((route) => route !== OF_THE_PROCESS);
}

/** The route that answers a path: the one with the fewest parameters. */
function routeOf(path: string): string {
  const parts = path.replace(/\?.*$/, '').split('/');
  const parameters = (route: string): number => route.split('{').length;
  const fitting = readingRoutes().filter((route) => {
    const named = route.split('/');
    return (
      named.length === parts.length && named.every((name, at) => name.startsWith('{') || name === parts[at])
    );
  });
  return fitting.toSorted((left, right) => parameters(left) - parameters(right))[0] ?? path;
}
