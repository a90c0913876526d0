import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { ExactNumber } from '@app/mapper';
import { httpServer, onRequest, rawServer, type Loopback } from '../testing/loopback';
import { HttpExchanges } from './http-exchanges';
import { limitsOf, type CallLimits, type PlatformRequest } from '../platform-request';
import type { PlatformResult } from '../platform-result';

jest.setTimeout(30_000);

describe('HttpExchanges', () => {
  let exchanges: HttpExchanges;
  const open: Loopback[] = [];
  beforeEach(() => (exchanges = new HttpExchanges()));
  afterEach(async () => {
    await exchanges.close();
    await Promise.all(open.splice(0).map((server) => server.close()));
  });

  const raw = async (...parameters: Parameters<typeof rawServer>): Promise<string> => {
    const server = await rawServer(...parameters);
    open.push(server);
    return server.url;
  };
  const http = async (...parameters: Parameters<typeof httpServer>): Promise<string> => {
    const server = await httpServer(...parameters);
    open.push(server);
    return server.url;
  };

  const write = (url: string, more: Partial<PlatformRequest> = {}): PlatformRequest => ({
    kind: 'write',
    method: 'POST',
    url,
    body: { type: 'json', text: '{"amount":1.10}' },
    signal: new AbortController().signal,
    ...more,
  });
  const send = (request: PlatformRequest, limits: Partial<CallLimits> = {}): Promise<PlatformResult> =>
    exchanges.send(request, { ...limitsOf(request), ...limits });

  describe('says that nothing was sent', () => {
    it('when no server listens', async () => {
      const server = await rawServer(() => undefined);
      await server.close();
      await expect(send(write(server.url))).resolves.toEqual({ kind: 'not_sent', reason: 'refused' });
    });

    it('when the name is not known', async () => {
      await expect(send(write('http://platform.invalid/x'))).resolves.toEqual({
        kind: 'not_sent',
        reason: 'name',
      });
    });

    it('when TLS fails, as with a server that speaks none', async () => {
      let heard = '';
      const url = await raw((socket) => {
        socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      });
      await expect(send(write(url.replace('http:', 'https:')))).resolves.toEqual({
        kind: 'not_sent',
        reason: 'unreachable',
      });
      expect(heard).not.toContain('POST');
    });

    it('when the connection is reset while TLS is agreed on', async () => {
      const url = await raw((socket) => socket.once('data', () => socket.resetAndDestroy()));
      await expect(send(write(url.replace('http:', 'https:')))).resolves.toEqual({
        kind: 'not_sent',
        reason: 'unreachable',
      });
    });

    it('when there is no connection in time', async () => {
      // TLS that never comes about.
      const url = await raw(() => undefined);
      await expect(send(write(url.replace('http:', 'https:')), { connectMs: 50 })).resolves.toEqual({
        kind: 'not_sent',
        reason: 'connect_timeout',
      });
    });

    it('when the request is no HTTP', async () => {
      const url = await http((_request, response) => response.end());
      const headers = { authorization: 'Bearer two\r\nlines: yes' };
      await expect(send(write(url, { headers }))).resolves.toEqual({ kind: 'not_sent', reason: 'malformed' });
      for (const bad of ['/relative', 'ftp://127.0.0.1/x', '']) {
        await expect(send(write(bad))).resolves.toEqual({ kind: 'not_sent', reason: 'malformed' });
      }
    });

    it('when it was closed before', async () => {
      await exchanges.close();
      await expect(send(write('http://127.0.0.1:9/'))).resolves.toEqual({
        kind: 'not_sent',
        reason: 'closed',
      });
    });

    it('and nothing is sent later', async () => {
      const seen: string[] = [];
      const url = await http((request, response) => {
        seen.push(request.url ?? '');
        response.end();
      });
      // Aborted in the same turn: the connection comes about only afterwards.
      const controller = new AbortController();
      const call = send(write(`${url}/gone`, { signal: controller.signal }));
      controller.abort(new Error('enough'));
      await expect(call).rejects.toThrow('enough');
      await expect(send(write(`${url}/next`))).resolves.toMatchObject({ kind: 'answered' });
      await sleep(50);
      expect(seen).toEqual(['/next']);
    });
  });

  describe('says that the outcome is unknown', () => {
    it('when the connection is reset after the request', async () => {
      const url = await raw((socket) => onRequest(socket, () => socket.resetAndDestroy()));
      await expect(send(write(url))).resolves.toEqual({ kind: 'unknown', reason: 'reset' });
    });

    it('when the connection ends after a part of the request', async () => {
      const url = await raw((socket) => socket.once('data', () => socket.end()));
      const body = { type: 'json', text: `"${'x'.repeat(8_000_000)}"` } as const;
      await expect(send(write(url, { body }))).resolves.toEqual({ kind: 'unknown', reason: 'reset' });
    });

    it('when a kept connection is reset by the next request, which goes out once', async () => {
      let requests = 0;
      const url = await raw((socket) =>
        onRequest(socket, () => {
          requests += 1;
          if (requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
          else socket.resetAndDestroy();
        }),
      );
      await expect(send(write(url))).resolves.toMatchObject({ kind: 'answered' });
      await expect(send(write(url))).resolves.toEqual({ kind: 'unknown', reason: 'reset' });
      await sleep(50);
      expect(requests).toBe(2);
    });

    it('when no headers come in time', async () => {
      const url = await raw((socket) => onRequest(socket, () => undefined));
      await expect(send(write(url), { headersMs: 50 })).resolves.toEqual({
        kind: 'unknown',
        reason: 'headers_timeout',
      });
    });

    it('when the body stops, with the status that came', async () => {
      const url = await raw((socket) =>
        onRequest(socket, () => socket.write('HTTP/1.1 201 Created\r\ncontent-length: 9\r\n\r\n{"a"')),
      );
      await expect(send(write(url), { bodyMs: 50 })).resolves.toEqual({
        kind: 'unknown',
        reason: 'body_timeout',
        status: 201,
      });
    });

    it.each([
      ['by its length', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"a"'],
      ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\n{"a"\r\n'],
      [
        'in chunks, before the connection closes',
        'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n4\r\n{"a"\r\n',
      ],
      [
        'by its length, before the connection closes',
        'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 9\r\n\r\n{"a"',
      ],
    ])('when the body is cut %s', async (_name, answer) => {
      const url = await raw((socket) => onRequest(socket, () => socket.end(answer)));
      await expect(send(write(url))).resolves.toEqual({ kind: 'unknown', reason: 'truncated', status: 200 });
    });

    it('when the whole takes too long, however busy it is', async () => {
      const url = await http((_request, response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write(' '), 5);
        response.on('close', () => clearInterval(timer));
      });
      await expect(send(write(url), { deadlineMs: 80 })).resolves.toEqual({
        kind: 'unknown',
        reason: 'deadline',
        status: 200,
      });
    });

    it('when the answer is too large, also once it is unpacked', async () => {
      const large = Buffer.alloc(1_000_000, ' ');
      const url = await http((request, response) => {
        if (request.url === '/plain') response.end(large);
        else response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(large));
      });
      for (const path of ['/plain', '/packed']) {
        await expect(send(write(url + path), { mostBytes: 10_000 })).resolves.toEqual({
          kind: 'unknown',
          reason: 'too_large',
          status: 200,
        });
      }
    });

    it.each([
      ['no HTTP', 'SSH-2.0-x\r\n', undefined],
      [
        'packed in an unknown way',
        'HTTP/1.1 200 OK\r\ncontent-encoding: lz4\r\ncontent-length: 2\r\n\r\n{}',
        200,
      ],
      [
        'not packed as it says',
        'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}',
        200,
      ],
    ])('when the answer is %s', async (_name, answer, status) => {
      const url = await raw((socket) => onRequest(socket, () => socket.write(answer)));
      await expect(send(write(url))).resolves.toEqual({
        kind: 'unknown',
        reason: 'nonsense',
        ...(status !== undefined && { status }),
      });
    });

    it('when it is closed meanwhile', async () => {
      let begun: () => void;
      const asked = new Promise<void>((resolve) => (begun = resolve));
      const url = await raw((socket) => onRequest(socket, () => begun()));
      const call = send(write(url));
      await asked;
      await exchanges.close();
      await expect(call).resolves.toEqual({ kind: 'unknown', reason: 'reset' });
    });
  });

  it('throws the reason of an abort, and lets the connection go', async () => {
    let closed: () => void;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const controller = new AbortController();
    const url = await raw((socket) => {
      socket.on('close', () => closed());
      onRequest(socket, () => controller.abort(new Error('enough')));
    });
    await expect(send(write(url, { signal: controller.signal }))).rejects.toThrow('enough');
    await gone;
    await expect(send(write(url, { signal: AbortSignal.abort(new Error('before')) }))).rejects.toThrow(
      'before',
    );
  });

  it('hands over the answer, whatever its status', async () => {
    const url = await http((request, response) => {
      response.writeHead(Number(request.url?.slice(1)), { 'X-Request-Id': 'abc', location: '/200' });
      response.end('{"n":9007199254740993}');
    });
    for (const status of [200, 302, 404, 500]) {
      const result = await send(write(`${url}/${status}`));
      if (result.kind !== 'answered') throw new Error(result.kind);
      const { response } = result;
      expect(response.status).toBe(status);
      expect(response.ok).toBe(status === 200);
      expect(response.headers).toMatchObject({ 'x-request-id': 'abc' });
      expect(response.json()).toEqual({ kind: 'json', value: { n: new ExactNumber('9007199254740993') } });
    }
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('unpacks %s', async (coding, pack) => {
    const url = await http((_request, response) =>
      response.writeHead(200, { 'content-encoding': coding }).end(pack('{"a":1}')),
    );
    const result = await send(write(url));
    expect(result.kind === 'answered' && result.response.text).toBe('{"a":1}');
  });

  it('opens as many connections to a host as an instance sends commands and reads, and some more', async () => {
    const many = 200;
    const waiting: ServerResponse[] = [];
    const url = await http((_request, response) => {
      waiting.push(response);
      if (waiting.length === many) for (const one of waiting) one.writeHead(204).end();
    });
    const results = await Promise.all(
      Array.from({ length: many }, () => send(write(url), { deadlineMs: 10_000 })),
    );
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['answered']));
  });

  it('sends what it is given, and keeps the connection', async () => {
    const seen: string[] = [];
    let connections = 0;
    const url = await raw((socket) => {
      connections += 1;
      onRequest(socket, (request) => {
        seen.push(request);
        socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      });
    });
    await send(write(`${url}/a?b=c%20d`, { headers: { Accept: 'x/y', Authorization: 'Bearer t' } }));
    await nextTurn(); // undici takes a connection for free one turn after its answer.
    await send(write(url, { body: { type: 'form', fields: { a: 'b&c', d: 'é' } } }));
    await nextTurn();
    await send(write(url, { method: 'GET', body: undefined }));
    expect(connections).toBe(1);
    expect(seen[0]).toMatch(/^POST \/a\?b=c%20d HTTP\/1\.1\r\n/);
    expect(seen[0]).toMatch(/accept: x\/y\r\n/);
    expect(seen[0]?.match(/accept:/gi)).toHaveLength(1);
    expect(seen[0]).toMatch(/authorization: Bearer t\r\n/);
    expect(seen[0]).toMatch(/content-type: application\/json\r\n/);
    expect(seen[0]).toMatch(/\{"amount":1\.10\}$/);
    expect(seen[1]).toMatch(/content-type: application\/x-www-form-urlencoded\r\n/);
    expect(seen[1]).toMatch(/a=b%26c&d=%C3%A9$/);
    expect(seen[2]).toMatch(/^GET \/ HTTP/);
    expect(seen[2]).not.toMatch(/content-type/);
  });
});
