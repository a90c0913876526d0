import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectGarbage } from '../../../test/support/this-process/collect-garbage';
import {
  ApiError,
  ConnectionFailed,
  RequestAborted,
  TranslationClient,
  UnexpectedResponse,
  type Change,
  type ClientOptions,
  type Decision,
} from '.';

/** Collects the garbage of a call under way. */
async function collectAll(): Promise<void> {
  for (let times = 0; times < 3; times += 1) {
    await sleep(10);
    collectGarbage();
  }
}

const refusal = (type: string) =>
  JSON.stringify({ error: { type, message: 'No', request_id: 'req_fromTheBody' } });

const change: Change = {
  format: 'platform',
  platform: 'platform_a',
  platform_id: '1',
  entity_type: 'payment',
  data: {},
};
const decision: Decision = {
  decision: 'not_same',
  entity_type: 'payment',
  records: [],
  reason: 'Two payments',
  decided_by: 'Amal',
};

describe('TranslationClient', () => {
  let server: Server | undefined;
  const waits: number[] = [];
  const seen: {
    method: string | undefined;
    url: string | undefined;
    id: unknown;
    type: unknown;
    key: unknown;
    own: readonly unknown[];
    body: string;
  }[] = [];

  /** A client of a server that answers in turn, with the last answer from then on. */
  async function clientOf(
    options: Partial<ClientOptions>,
    ...answers: RequestListener[]
  ): Promise<TranslationClient> {
    let next = 0;
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        const { method, url, headers } = request;
        seen.push({
          method,
          url,
          id: headers['x-request-id'],
          type: headers['content-type'],
          key: headers.authorization,
          own: ['idempotency-key', 'if-match', 'if-none-match', 'accept'].map((name) => headers[name]),
          body,
        });
        const answer = answers[Math.min(next, answers.length - 1)];
        next += 1;
        answer?.(request, response);
      });
    });
    const listening = server;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const { port } = listening.address() as AddressInfo;
    return new TranslationClient({
      baseUrl: `http://127.0.0.1:${port}/`,
      apiKey: 'sk_test_x',
      wait: (milliseconds) => {
        waits.push(milliseconds);
        return Promise.resolve();
      },
      ...options,
    });
  }

  const answer =
    (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
    (request, response) => {
      const id = String(request.headers['x-request-id']);
      response.writeHead(status, { 'Content-Type': 'application/json', 'X-Request-ID': id, ...headers });
      response.end(body);
    };
  const connections = answer(200, '{"data":{"connections":[]}}');

  afterEach(async () => {
    waits.length = 0;
    seen.length = 0;
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
    server = undefined;
  });

  const failureOf = async (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => {
        throw new Error('It did not fail');
      },
      (error: unknown) => error,
    );

  it('asks what became of a change by its ID, and again where the service is away for a moment', async () => {
    const client = await clientOf(
      {},
      answer(503, '{}'),
      answer(200, '{"data":{"propagation_id":"p/1","propagated":{"platform_b":{"status":"applied"}}}}'),
    );
    const { propagated } = await client.propagation('p/1');
    expect(propagated.platform_b?.status).toBe('applied');
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/v1/propagations/p%2F1',
      'GET /api/v1/propagations/p%2F1',
    ]);
  });

  it('sends key, content type and a request ID, and gives the data', async () => {
    const client = await clientOf(
      {},
      answer(200, '{"data":{"platform":"platform_a","status":"connected","entities":{}}}'),
    );
    await expect(client.connect('platform_a')).resolves.toMatchObject({ platform: 'platform_a' });
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/api/v1/connect',
        id: expect.stringMatching(/^req_[0-9a-f]{20}$/),
        type: 'application/json',
        key: 'Bearer sk_test_x',
        own: [undefined, undefined, undefined, '*/*'],
        body: '{"platform":"platform_a"}',
      },
    ]);
  });

  it('throws what the service says, with the ID under which it knows the request', async () => {
    const client = await clientOf({}, answer(404, refusal('NOT_FOUND')));
    const error = await failureOf(client.listConnections({ requestId: 'req_12345678' }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      type: 'NOT_FOUND',
      status: 404,
      detail: 'No',
      requestId: 'req_12345678',
      name: 'ApiError',
    });
    expect(error instanceof ApiError && error.is('NOT_FOUND')).toBe(true);
    expect(error instanceof ApiError && error.is('CONFLICT_ERROR')).toBe(false);
    expect(String(error)).toContain('req_12345678');
  });

  it('waits as long as the service says, then tries again under the same ID', async () => {
    const client = await clientOf(
      {},
      answer(429, refusal('RATE_LIMIT_ERROR'), { 'Retry-After': '7' }),
      connections,
    );
    await expect(client.listConnections()).resolves.toEqual([]);
    expect(waits).toEqual([7000]);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(1);
  });

  it('gives up after the last attempt, and says when to come back', async () => {
    const client = await clientOf(
      { retries: { attempts: 4 } },
      answer(502, refusal('EXTERNAL_SERVICE_ERROR'), { 'Retry-After': '1' }),
    );
    const error = await failureOf(client.listConnections());
    expect(error).toMatchObject({ type: 'EXTERNAL_SERVICE_ERROR', retryAfter: 1000 });
    expect(seen).toHaveLength(4);
  });

  it('does not wait longer than its limit', async () => {
    const client = await clientOf(
      { retries: { longestDelay: 5000 } },
      answer(429, refusal('RATE_LIMIT_ERROR'), { 'Retry-After': '60' }),
    );
    expect(await failureOf(client.listConnections())).toMatchObject({ status: 429, retryAfter: 60_000 });
    expect(waits).toEqual([]);
  });

  it('sends a change once only, unless the call asks for more', async () => {
    const client = await clientOf({}, answer(502, refusal('EXTERNAL_SERVICE_ERROR')));
    await failureOf(client.propagate(change));
    expect(seen).toHaveLength(1);
    await failureOf(client.propagate(change, { retry: true }));
    expect(seen).toHaveLength(4);
    await failureOf(client.openDemoSession());
    expect(seen).toHaveLength(5);
    // Once it had its effect, its key is none any more.
    await failureOf(client.closeDemoSession());
    expect(seen).toHaveLength(6);
  });

  it('does not try again what will be refused again', async () => {
    const client = await clientOf({}, answer(409, refusal('CONFLICT_ERROR')));
    await failureOf(client.connect('platform_a'));
    expect(seen).toHaveLength(1);
  });

  it('takes a degraded service for an answer', async () => {
    const health = {
      status: 'degraded',
      timestamp: '2026-01-15T10:00:00.000Z',
      checks: { database: 'fail' },
    };
    const client = await clientOf({}, answer(503, JSON.stringify({ data: health })));
    await expect(client.health()).resolves.toEqual(health);
  });

  it('tries again when the connection breaks, also midway, and names the request in the end', async () => {
    const client = await clientOf({}, (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
      response.write('{"data":');
      response.destroy();
    });
    const error = await failureOf(client.listConnections());
    expect(error).toBeInstanceOf(ConnectionFailed);
    expect(error).toMatchObject({ requestId: expect.stringMatching(/^req_/) });
    expect(seen).toHaveLength(3);
  });

  it('ends when there is no response in time, or when the caller aborts it', async () => {
    const client = await clientOf({ timeout: 50 }, () => undefined);
    const late = await failureOf(client.listConnections({ requestId: 'req_tooLate0' }));
    expect(late).toBeInstanceOf(RequestAborted);
    expect(late).toMatchObject({ timedOut: true, requestId: 'req_tooLate0' });
    const stop = AbortSignal.abort();
    const stopped = await failureOf(client.listConnections({ signal: stop }));
    expect(stopped).toBeInstanceOf(RequestAborted);
    expect(stopped).toMatchObject({ timedOut: false });
  });

  it('ends when garbage is collected meanwhile, in time and when the caller aborts it', async () => {
    const late = failureOf((await clientOf({ timeout: 200 }, () => undefined)).listConnections());
    await collectAll();
    expect(await late).toMatchObject({ timedOut: true });
    server?.closeAllConnections();
    server?.close();
    const stop = new AbortController();
    const client = await clientOf({ timeout: 60_000 }, () => undefined);
    const stopped = failureOf(client.listConnections({ signal: stop.signal }));
    await collectAll();
    stop.abort();
    expect(await stopped).toMatchObject({ timedOut: false });
  });

  it.each([
    [200, '<html>'],
    [200, '{}'],
    [200, '[]'],
    [200, '{"message":"Welcome"}'],
    [200, '{"data":null}'],
    [502, '<html>Bad gateway</html>'],
    [404, '{}'],
  ])('does not take the page of a proxy for an answer (%s %s)', async (status, body) => {
    const client = await clientOf({}, answer(status, body));
    const error = await failureOf(client.listConnections());
    expect(error).toBeInstanceOf(UnexpectedResponse);
    expect(error).toMatchObject({ status, requestId: expect.stringMatching(/^req_/) });
  });

  it.each(['', '<html>No server is available</html>', '{}', '[]', 'null', '{"data":null}'])(
    'does not take the 503 of a proxy (%j) for the health of the service',
    async (body) => {
      const client = await clientOf({}, answer(503, body));
      const error = await failureOf(client.health());
      expect(error).toBeInstanceOf(UnexpectedResponse);
      expect(error).toMatchObject({ status: 503, requestId: expect.stringMatching(/^req_/) });
    },
  );

  const away = answer(502, refusal('EXTERNAL_SERVICE_ERROR'));
  const done = answer(200, '{"data":{"decision":"not_same"}}');

  describe('with idempotency keys', () => {
    it('sends a change again under its key, and says that the answer is an earlier one', async () => {
      const replayed = answer(200, '{"data":{"dry_run":true}}', { 'Idempotent-Replayed': 'true' });
      const client = await clientOf({}, away, replayed);
      const facts: unknown[] = [];
      await client.propagate(change, {
        idempotencyKey: 'pay-once',
        ifMatch: 'v1',
        requestId: 'req_12345678',
        onResponse: (one) => facts.push(one),
      });
      expect(seen.map(({ own }) => own.slice(0, 2))).toEqual(Array(2).fill(['pay-once', '"v1"']));
      expect(facts).toEqual([{ status: 200, requestId: 'req_12345678', replayed: true }]);
    });

    it('waits where the first request with the key still runs, and takes every other conflict for the answer', async () => {
      const client = await clientOf(
        {},
        answer(409, refusal('CONFLICT_ERROR'), { 'Retry-After': '1' }),
        answer(409, refusal('CONFLICT_ERROR'), { 'Idempotent-Replayed': 'true' }),
      );
      const error = await failureOf(client.decide(decision, { idempotencyKey: 'k' }));
      expect(waits).toEqual([1000]);
      expect(seen).toHaveLength(2);
      expect(error).toMatchObject({ status: 409, replayed: true, conflicts: [] });
    });

    it('makes a new one for each change and decision where it is told to', async () => {
      const client = await clientOf({ generateIdempotencyKeys: true }, away, done);
      await client.propagate(change);
      await client.decide(decision);
      const keys = seen.map(({ own: [key] }) => key);
      expect(keys).toEqual(Array(3).fill(expect.stringMatching(/^[0-9a-f-]{36}$/)));
      expect(keys[0]).toBe(keys[1]);
      expect(keys[1]).not.toBe(keys[2]);
    });

    it('makes none for what only tries, which may be sent again without', async () => {
      const client = await clientOf({ generateIdempotencyKeys: true }, away, done);
      await client.propagate({ ...change, dry_run: true });
      expect(seen.map(({ own: [key] }) => key)).toEqual([undefined, undefined]);
    });

    it('sends decisions and withdrawals without a key once only', async () => {
      const client = await clientOf({}, away);
      await failureOf(client.decide(decision));
      await failureOf(client.withdraw('d/1', { reason: 'A slip', decided_by: 'Amal' }));
      expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
        'POST /api/v1/reconciliation/decisions',
        'DELETE /api/v1/reconciliation/decisions/d%2F1',
      ]);
    });
  });

  it('reads sums beyond 2^53 exactly where it is asked to', async () => {
    const body = '{"data":{"sum":9007199254740993,"currency":"USD"}}';
    for (const [options, sum] of [
      [{ bigSums: true }, 9007199254740993n],
      [{}, Number('9007199254740993')],
    ] as const) {
      const client = await clientOf(options, answer(200, body));
      expect(await client.statement()).toEqual({ sum, currency: 'USD' });
      server?.closeAllConnections();
      await new Promise((resolve) => server?.close(resolve));
    }
  });

  it('throws what has changed since the version that a change was made for', async () => {
    const conflicts = [{ field: 'notes', base: 'a', theirs: 'b', mine: 'c' }];
    const error = { type: 'CONFLICT_ERROR', message: 'No', request_id: 'req_x', details: { conflicts } };
    const client = await clientOf({}, answer(409, JSON.stringify({ error })));
    const thrown = await failureOf(client.propagate(change, { ifMatch: 'v1' }));
    expect(thrown).toMatchObject({ type: 'CONFLICT_ERROR', conflicts, replayed: false });
  });

  it('throws which cases have other values than those that a person looked at', async () => {
    const cases = ['case_1'];
    const error = { type: 'CONFLICT_ERROR', message: 'No', request_id: 'req_x', details: { cases } };
    const client = await clientOf({}, answer(409, JSON.stringify({ error })));
    const thrown = await failureOf(client.review('case_1', { owner: null }, { ifMatch: 'v1' }));
    expect(thrown).toMatchObject({ type: 'CONFLICT_ERROR', cases, conflicts: [] });
    expect(seen[0]?.own).toEqual([undefined, '"v1"', undefined, expect.any(String)]);
  });

  it('reads one object, as of a time, and resolves to nothing where it has not changed', async () => {
    const tagged = answer(200, '{"data":{"version":"v2"}}', { ETag: '"v2-more"' });
    const client = await clientOf({}, answer(200, '{"data":{"version":"v2"}}'), tagged, answer(304, ''));
    const asOf = new Date('2026-01-15T10:00:00Z');
    expect((await client.object('pay_1', { asOf })).version).toBe('v2');
    let known: string | undefined;
    await client.object('pay_1', { onResponse: ({ etag }) => (known = etag) });
    expect(known).toBe('v2-more');
    expect(await client.object('pay_1', { ifNoneMatch: 'v2-more' })).toBeUndefined();
    expect(seen.map(({ url, own }) => [url, own[2]])).toEqual([
      ['/api/v1/objects/pay_1?as_of=2026-01-15T10%3A00%3A00.000Z', undefined],
      ['/api/v1/objects/pay_1', undefined],
      ['/api/v1/objects/pay_1', '"v2-more"'],
    ]);
  });

  it('does not take 304 for an answer where it has not asked for a change', async () => {
    const client = await clientOf({}, answer(304, ''));
    expect(await failureOf(client.object('pay_1'))).toBeInstanceOf(UnexpectedResponse);
  });

  it('reads a listing page by page, each when it is needed', async () => {
    const client = await clientOf(
      {},
      answer(200, '{"data":[{"id":"1"},{"id":"2"}],"next_cursor":"c1"}'),
      answer(200, '{"data":[],"next_cursor":"c2"}'),
      answer(200, '{"data":[{"id":"3"}],"next_cursor":null}'),
    );
    const ids: string[] = [];
    const records = client.allObjects({
      platform: 'platform_a',
      entity_type: 'payment',
      include_deleted: true,
      modified_after: '2026-01-15',
    });
    for await (const { id } of records) {
      if (id === '2') expect(seen).toHaveLength(1);
      ids.push(id);
    }
    expect(ids).toEqual(['1', '2', '3']);
    const queries = seen.map(({ url = '' }) => new URL(url, 'http://x').searchParams);
    expect(queries.map((query) => query.get('cursor'))).toEqual([null, 'c1', 'c2']);
    for (const query of queries)
      expect(Object.fromEntries(query)).toMatchObject({
        limit: '200',
        include_deleted: 'true',
        modified_after: '2026-01-15',
      });
  });

  it('takes a listing without pages for its only page', async () => {
    const client = await clientOf({}, answer(200, '{"data":[]}'));
    const page = await client.objects({ platform: 'platform_a', entity_type: 'payment' });
    expect(page).toEqual({ data: [], next_cursor: null });
  });

  it('asks for statement, cases, history, decisions and deliveries where they are', async () => {
    const page = answer(200, '{"data":[],"facets":{"total":0},"next_cursor":null}');
    const client = await clientOf({}, page);
    await client.statement({ entity_type: 'payment', as_of: '2026-01-15' });
    expect((await client.cases({ kind: 'ambiguous' })).facets.total).toBe(0);
    await client.case('case_1');
    for await (const one of client.allCases({ age: 'over-90' })) throw new Error(`It has ${one.id}`);
    for await (const one of client.allObjectHistory('pay_1', { limit: 5 })) throw new Error(one.at);
    for await (const one of client.allDecisions({ status: 'standing' })) throw new Error(one.reason);
    for await (const one of client.allSignoffs({ role: 'reviewed' })) throw new Error(one.digest);
    for await (const one of client.allWebhookDeliveries('e1', { limit: 5 })) throw new Error(one.at);
    await client.signoff('s1');
    const why = { reason: 'Too early', decided_by: 'Kim' };
    await client.withdrawSignoff('s1', why);
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/v1/reconciliation?entity_type=payment&as_of=2026-01-15',
      'GET /api/v1/reconciliation/cases?kind=ambiguous',
      'GET /api/v1/reconciliation/cases/case_1',
      'GET /api/v1/reconciliation/cases?age=over-90&facets=false',
      'GET /api/v1/objects/pay_1/history?limit=5',
      'GET /api/v1/reconciliation/decisions?status=standing',
      'GET /api/v1/reconciliation/signoffs?role=reviewed',
      'GET /api/v1/webhook-endpoints/e1/deliveries?limit=5',
      'GET /api/v1/reconciliation/signoffs/s1',
      'DELETE /api/v1/reconciliation/signoffs/s1',
    ]);
  });

  it('gives files as they are, with the mark by which spreadsheets know the encoding', async () => {
    const file = '\uFEFFfile,reconciliation statement\r\n';
    const client = await clientOf({}, answer(200, file, { 'Content-Type': 'text/csv; charset=utf-8' }));
    expect(await client.statementCsv({ currency: 'QAR' })).toBe(file);
    expect(await client.casesCsv()).toBe(file);
    expect(await client.decisionsCsv({ head: false })).toBe(file);
    expect(await client.signoffsCsv()).toBe(file);
    expect(await client.recordsCsv({ platform: 'platform_a', entity_type: 'payment' })).toBe(file);
    expect(seen.map(({ url, own }) => [url, own[3]])).toEqual([
      ['/api/v1/reconciliation?currency=QAR', 'text/csv'],
      ['/api/v1/reconciliation/cases', 'text/csv'],
      ['/api/v1/reconciliation/decisions?head=false', 'text/csv'],
      ['/api/v1/reconciliation/signoffs', 'text/csv'],
      ['/api/v1/objects?platform=platform_a&entity_type=payment', 'text/csv'],
    ]);
  });

  it('gives an object as text, with its numbers as they were sent', async () => {
    const text = '{"data":{"records":[{"platform_data":{"id":1234567890123456789,"amount":1.10}}]}}';
    const client = await clientOf({}, answer(200, text), answer(404, refusal('NOT_FOUND')));
    expect(await client.objectText('pay/1', { asOf: '2026-01-31' })).toBe(text);
    expect(seen[0]?.url).toBe('/api/v1/objects/pay%2F1?as_of=2026-01-31');
    expect(await failureOf(client.objectText('pay/2'))).toMatchObject({ type: 'NOT_FOUND' });
  });

  it('does not take a page of a proxy for a file', async () => {
    const client = await clientOf({}, answer(200, '<html>', { 'Content-Type': 'text/html' }));
    expect(await failureOf(client.casesCsv())).toBeInstanceOf(UnexpectedResponse);
  });
});
