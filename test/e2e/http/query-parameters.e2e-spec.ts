import { readFileSync } from 'node:fs';
import { api, type ApiResponse } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { documentFile } from '../../support/description/api-description';
import { expectError } from '../../support/app/expectations';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly security?: readonly object[];
}

const { paths } = JSON.parse(readFileSync(documentFile, 'utf8')) as {
  paths: Record<string, Readonly<Record<string, Operation>>>;
};

const withIds = (path: string): string =>
  path.replace('/api/v1', '').replace(/\{\w+\}/g, 'pay_0123456789abcdef');
const needsKey = ({ security }: Operation): boolean => (security ?? []).length > 0;

/** Values that are right for parameters that have to be there. */
const needed: Readonly<Record<string, string>> = { platform: 'platform_a', entity_type: 'payment' };

/** Every GET of the API, with what it needs. */
const routes = Object.entries(paths).flatMap(([path, { get }]) => {
  if (get === undefined) return [];
  const query = (get.parameters ?? []).filter((one) => one.in === 'query');
  const given = query.filter(({ required }) => required).map(({ name }) => `${name}=${needed[name] ?? ''}`);
  return {
    path: withIds(path),
    given: given.join('&'),
    known: query.map(({ name }) => name),
    needsKey: needsKey(get),
  };
});

/** Every other operation of the API. None has query parameters. */
const writes = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([name, operation]) => {
    const method = name.toUpperCase();
    return method === 'GET' ? [] : { method, path: withIds(path), needsKey: needsKey(operation) };
  }),
);

describe('query parameters', () => {
  let service: RunningApp;
  let client: ReturnType<typeof api>;
  let stranger: ReturnType<typeof api>;
  beforeAll(async () => {
    service = await startApp();
    client = api(service.url, (await service.issueKey('test')).key);
    stranger = api(service.url);
  });
  afterAll(() => service.close());

  const get = (path: string, ...query: readonly string[]): Promise<ApiResponse> =>
    client.get(`${path}?${query.filter((part) => part !== '').join('&')}`);

  const refused = (answer: ApiResponse, ...names: readonly string[]): void => {
    expectError(answer, 400, 'VALIDATION_ERROR', /^Invalid input: /);
    for (const name of names) expect(answer.body.error.message).toContain(name);
  };

  it('are described for the routes that this looks at', () => {
    expect(routes.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/objects', '/connections', '/health', '/reconciliation', '/openapi.json']),
    );
  });

  describe.each(routes)('of $path', ({ path, given, known, needsKey }) => {
    it.each([
      ['a name that no route has', 'statuss=paid', 'statuss'],
      ['a name without a value', 'statuss', 'statuss'],
      ['a name in other letters', 'LIMIT=5', 'LIMIT'],
      ['a list in brackets', 'limit[]=5', 'limit[]'],
      ['an object in brackets', 'limit[a]=5', 'limit[a]'],
      ['a name with a blank', 'limit%20=5', 'limit '],
      ['a name of every object', '__proto__=1', '__proto__'],
      ['another one', 'constructor=1', 'constructor'],
      ['a value without a name', '=5', '""'],
      ['one behind a thousand that say nothing', `${'&'.repeat(1_100)}statuss=paid`, 'statuss'],
      ['one with a NUL', 'a%00b=1', 'a'],
      ['one that is no UTF-8', '%ff=1', '\ufffd'],
    ])('is 400 for %s', async (_what, unknown, name) => {
      refused(await get(path, given, unknown), name);
    });

    it('is 400 for those of other routes', async () => {
      const others = [...new Set(routes.flatMap((route) => route.known))].filter(
        (name) => !known.includes(name),
      );
      for (const name of [...others, 'status', 'as_of', 'limit', 'cursor', 'sort']) {
        if (!known.includes(name)) refused(await get(path, given, `${name}=2026-01-01`), name);
      }
    });

    it('names all that are unknown, and what else is wrong', async () => {
      const wrong = known.includes('limit') ? ['limit=0'] : [];
      const answer = await get(path, given, 'one=1', 'two=2', 'one=3', ...wrong);
      refused(answer, 'one', 'two', ...wrong.map(() => 'limit'));
      expect(answer.body.error.message.match(/one /g)).toHaveLength(1);
    });

    it('answers shortly to many, and to long ones', async () => {
      const names = Array.from({ length: 1_500 }, (_, place) => `p${place}`);
      const answer = await get(path, given, ...names);
      refused(answer, 'p0', 'more');
      expect(answer.body.error.message.length).toBeLessThan(2_000);
      const long = await get(path, given, `${'x'.repeat(8_000)}=1`);
      refused(long, 'xxx');
      expect(long.body.error.message.length).toBeLessThan(500);
    });

    it('is 400 for those that are given twice or without a value', async () => {
      for (const name of known) {
        const value = needed[name] ?? 'x';
        const others = given.split('&').filter((one) => !one.startsWith(`${name}=`));
        refused(await get(path, ...others, `${name}=${value}`, `${name}=${value}`), name);
        refused(await get(path, ...others, `${name}=`), name);
        refused(await get(path, ...others, name), name);
      }
    });

    it('is the same for HEAD', async () => {
      const { status } = await client.send('HEAD', `${path}?${given}&statuss=paid`);
      expect(status).toBe(400);
    });

    it('is checked after the key', async () => {
      const answer = await stranger.get(`${path}?${given}&statuss=paid`);
      expect(answer.status).toBe(needsKey ? 401 : 400);
    });
  });

  describe('of requests that write', () => {
    // A request of one's own needs a permission that keys do not have by default, and a session's removal its own key.
    let passing: ReturnType<typeof api>;
    let session: ReturnType<typeof api>;
    beforeAll(async () => {
      passing = api(service.url, (await service.issueKey('test', ['passthrough'])).key);
      session = api(service.url, (await service.openSession()).key);
    });
    const allowed = (path: string) =>
      path.startsWith('/platforms/') ? passing : path === '/demo/session' ? session : client;

    it.each(writes)('are 400 on $method $path', async ({ method, path, needsKey }) => {
      const answer = await allowed(path).send(method, `${path}?dry_run=true&limit=5`, { body: {} });
      refused(answer, 'dry_run', 'limit');
      const unknown = await stranger.send(method, `${path}?dry_run=true`, { body: {} });
      expect(unknown.status).toBe(needsKey ? 401 : 400);
    });

    it('are refused before anything is done', async () => {
      const owner = api(service.url, (await service.openSession()).key);
      for (const platform of ['platform_a', 'platform_b']) await owner.post('/connect', { platform });
      const change = {
        format: 'platform',
        platform: 'platform_a',
        platform_id: '1823456',
        entity_type: 'payment',
        data: { notes: 'Only tried' },
      };
      refused(await owner.post('/propagate?dry_run=true', change), 'dry_run');
      const { body } = await owner.get('/propagations');
      expect(body.data).toEqual([]);
    });

    it('are left to the protocol of agents', async () => {
      const answer = await fetch(`${service.url}/mcp?client=x`, {
        method: 'GET',
        headers: { Authorization: `Bearer ${(await service.issueKey('test')).key}` },
      });
      expect(answer.status).toBe(405);
    });
  });

  it('of probes are left to those who probe', async () => {
    for (const path of ['/livez?t=1', '/readyz?t=1', '/docs/?t=1']) {
      expect((await fetch(`${service.url}${path}`)).status).toBe(200);
    }
  });

  it('of a route that is not there are not looked at', async () => {
    expectError(await client.get('/nowhere?statuss=paid'), 404, 'NOT_FOUND');
  });

  it.each(['%00', 'a%00b', '%ff', '%ed%a0%80', 'pay_%00', `${'x'.repeat(3_000)}`, '%27%3B--', '..%2f..'])(
    'as IDs in a path meet no fault: %p',
    async (id) => {
      for (const path of [
        `/objects/${id}`,
        `/objects/${id}/history`,
        `/propagations/${id}`,
        `/reconciliation/cases/${id}`,
        `/reconciliation/signoffs/${id}`,
        `/webhook-endpoints/${id}`,
        `/webhook-endpoints/${id}/deliveries`,
        `/schema/${id}`,
        `/platforms/${id}/requests`,
      ]) {
        expect([path, [400, 404].includes((await client.get(path)).status)]).toEqual([path, true]);
      }
      const body = { reason: 'x', decided_by: 'y' };
      for (const path of [
        `/reconciliation/decisions/${id}`,
        `/reconciliation/signoffs/${id}`,
        `/precedence/payment/${id}`,
        `/precedence/payment/custom.${id}`,
        `/precedence/${id}/notes`,
        `/rates/${id}/USD`,
        `/rules/${id}`,
        `/fields/payment/${id}`,
        `/webhook-endpoints/${id}`,
      ]) {
        const { status } = await client.send('DELETE', path, { body });
        expect([path, [400, 404].includes(status)]).toEqual([path, true]);
      }
    },
  );
});
