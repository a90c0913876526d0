import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ApiError,
  ConnectionFailed,
  RequestAborted,
  TranslationClient,
  UnexpectedAnswer,
  type ClientOptions,
} from '.';

const refusal = (type: string) =>
  JSON.stringify({ error: { type, message: 'No', request_id: 'req_fromTheBody' } });

describe('TranslationClient', () => {
  let server: Server | undefined;
  const waits: number[] = [];
  const seen: {
    method: string | undefined;
    url: string | undefined;
    id: unknown;
    type: unknown;
    key: unknown;
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

  it('gives up after the last try, and says when to come back', async () => {
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
    const change = {
      format: 'platform',
      platform: 'platform_a',
      platform_id: '1',
      entity_type: 'payment',
      data: {},
    } as const;
    const client = await clientOf({}, answer(502, refusal('EXTERNAL_SERVICE_ERROR')));
    await failureOf(client.propagate(change));
    expect(seen).toHaveLength(1);
    await failureOf(client.propagate(change, { retry: true }));
    expect(seen).toHaveLength(4);
    await failureOf(client.openDemoSession());
    expect(seen).toHaveLength(5);
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

  it('ends when there is no answer in time, or when the caller wants it to', async () => {
    const client = await clientOf({ timeout: 50 }, () => undefined);
    const late = await failureOf(client.listConnections({ requestId: 'req_tooLate0' }));
    expect(late).toBeInstanceOf(RequestAborted);
    expect(late).toMatchObject({ timedOut: true, requestId: 'req_tooLate0' });
    const stop = AbortSignal.abort();
    const stopped = await failureOf(client.listConnections({ signal: stop }));
    expect(stopped).toBeInstanceOf(RequestAborted);
    expect(stopped).toMatchObject({ timedOut: false });
  });

  it.each([
    [200, '<html>'],
    [502, '<html>Bad gateway</html>'],
    [404, '{}'],
  ])('does not take the page of a proxy for an answer (%s %s)', async (status, body) => {
    const client = await clientOf({}, answer(status, body));
    const error = await failureOf(client.listConnections());
    expect(error).toBeInstanceOf(UnexpectedAnswer);
    expect(error).toMatchObject({ status, requestId: expect.stringMatching(/^req_/) });
  });
});
