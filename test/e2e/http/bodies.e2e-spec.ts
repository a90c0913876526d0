import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { ProbeModule } from '../../support/app/probe.module';
import { rawHttp } from '../../support/http/raw-http';

const megabyte = 1024 * 1024;
/** Much more than the limit of a body, and more than sockets keep of what is not read. */
const large = Buffer.alloc(24 * megabyte, 'x');

describe('bodies', () => {
  let service: RunningApp;
  let caller: ReturnType<typeof api>;
  let stranger: ReturnType<typeof api>;
  beforeAll(async () => {
    service = await startApp({}, [ProbeModule]);
    caller = api(service.url, (await service.openSession()).key);
    stranger = api(service.url);
  });
  afterAll(() => service.close());

  const send = (body: unknown, headers?: Record<string, string>) =>
    caller.send('POST', '/probe', { body, headers });
  const withData = (data: string) => `{"platform":"platform_a","name":"x","data":${data}}`;

  describe('200', () => {
    it('takes what the DTO declares, and nothing else', async () => {
      const answer = await send({ platform: 'platform_a', name: 'x', data: { a: [1] }, extra: true });
      expect(answer.body).toEqual({ data: { platform: 'platform_a', name: 'x', data: { a: [1] } } });
    });

    it.each([
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{}},"toString":null,"hasOwnProperty":1}',
      '{"":{"":[]},"a.b":1,"ü":"\\u0000 is escaped","🏗️":"\\ud83c\\udfd7"}',
      '{"large":12345678901234567890.123456789,"exponent":1e400,"small":0.1}',
    ])('gives the free-form data %s back as it was', async (data) => {
      const answer = await send(withData(data));
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.text)).toEqual({ data: JSON.parse(withData(data)) });
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    });

    it('keeps every digit of a number', async () => {
      const answer = await send(withData('{"n":12345678901234567890.123456789}'));
      expect(answer.text).toContain('12345678901234567890.123456789');
    });

    it.each([
      ['gzip', gzipSync],
      ['GZIP', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
    ])('reads a body compressed with %s', async (encoding, compress) => {
      const answer = await send(compress(withData('{"a":1}')), { 'Content-Encoding': encoding });
      expect(answer.body.data.data).toEqual({ a: 1 });
    });

    it('reads a body sent in chunks', async () => {
      const body = withData('{"a":1}');
      const response = await fetch(`${service.url}/api/v1/probe/public`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: new ReadableStream({
          start(controller) {
            for (const byte of Buffer.from(body)) controller.enqueue(Uint8Array.of(byte));
            controller.close();
          },
        }),
        duplex: 'half',
      }); // The type does not know `duplex` yet, which a streamed body needs.
      expect(response.status).toBe(200);
    });

    it('leaves the envelope out where a route says so', async () => {
      expect((await caller.post('/probe/bare', { platform: 'platform_b', name: 'y' })).body).toEqual({
        platform: 'platform_b',
        name: 'y',
      });
    });

    it('takes 100 levels', async () => {
      expect((await send(withData(`{"a":${'['.repeat(98)}${']'.repeat(98)}}`))).status).toBe(200);
    });

    it('ignores the body of a GET', async () => {
      const { hostname, port } = new URL(service.url);
      const answers = await rawHttp(
        service.url,
        `GET /api/v1/health HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: 5\r\n\r\n[[[[[` +
          `GET /api/v1/health HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`,
        2,
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    });
  });

  describe('400', () => {
    it.each([
      ['50,000 levels of arrays', withData('['.repeat(50_000) + ']'.repeat(50_000))],
      ['50,000 levels of objects', withData('{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000))],
      ['50,000 levels that never end', '['.repeat(50_000)],
      ['101 levels', withData(`{"a":${'['.repeat(99)}${']'.repeat(99)}}`)],
    ])('refuses %s', async (_what, body) => {
      expectError(
        await send(body),
        400,
        'VALIDATION_ERROR',
        'Invalid input: the body nests deeper than 100 levels',
      );
    });

    it.each(['[]', '"x"', '1', 'null', 'true'])('refuses %s, which is no object', async (body) => {
      expectError(await send(body), 400, 'VALIDATION_ERROR', 'Invalid input: the body must be a JSON object');
    });

    it.each([
      '{',
      'platform=platform_a',
      '{"a":1,}',
      '{"a":0x10}',
      '{"a":1}{"b":2}',
      '\0',
      '{"a":"\n"}',
      ' ',
    ])('refuses %j, which is no JSON', async (body) => {
      expectError(await send(body), 400, 'VALIDATION_ERROR', /^Invalid input: the body is not JSON/);
    });

    it.each([
      ['bytes that are no UTF-8', Buffer.from('{"name":"\xff"}', 'latin1')],
      ['half a surrogate pair in bytes', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
      ['UTF-16 that says it is UTF-8', Buffer.from('\uFEFF{"a":1}', 'utf16le')],
    ])('refuses %s', async (_what, body) => {
      expectError(await send(body), 400, 'VALIDATION_ERROR', 'Invalid input: the body is not UTF-8');
    });

    it.each(['\\u0000', 'a\\u0000b', '\\ud800', '\\udc00x'])(
      'refuses "%s" in a declared string',
      async (name) => {
        expectError(
          await send(`{"platform":"platform_a","name":"${name}"}`),
          400,
          'VALIDATION_ERROR',
          'Invalid input: name must not contain a NUL character or half of a surrogate pair',
        );
      },
    );

    it.each([
      ['gzip', Buffer.from('not gzip')],
      ['gzip', gzipSync(withData('{}')).subarray(0, 20)],
      ['deflate', Buffer.from('{}')],
      ['br', Buffer.from('{}{}{}{}')],
    ])('refuses a body that is not what its Content-Encoding %s says', async (encoding, body) => {
      expectError(
        await send(body, { 'Content-Encoding': encoding }),
        400,
        'VALIDATION_ERROR',
        'Invalid input: the body does not follow its Content-Encoding',
      );
    });

    it('refuses malformed JSON also where no body is needed', async () => {
      expectError(
        await caller.send('DELETE', '/demo/session', { body: '{' }),
        400,
        'VALIDATION_ERROR',
        /not JSON/,
      );
    });
  });

  describe('413', () => {
    it.each(['/probe', '/probe/public'])('reaches a client that sends 24 MB to %s', async (path) => {
      expectError(await caller.send('POST', path, { body: large }), 413, 'VALIDATION_ERROR');
      expect((await caller.get('/health')).status).toBe(200);
    });

    it('reaches a client that does not say how much it sends', async () => {
      let sent = 0;
      const response = await fetch(`${service.url}/api/v1/probe/public`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: new ReadableStream({
          pull(controller) {
            sent += megabyte;
            if (sent > large.length) controller.close();
            else controller.enqueue(large.subarray(0, megabyte));
          },
        }),
        duplex: 'half',
      });
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ error: { type: 'VALIDATION_ERROR' } });
    });

    it.each([
      ['gzip', gzipSync(large)],
      ['deflate', deflateSync(large)],
      ['br', brotliCompressSync(large, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ])('meets a body that is small as sent and 24 MB when it is read (%s)', async (encoding, body) => {
      expect(body.length).toBeLessThan(megabyte);
      expectError(await send(body, { 'Content-Encoding': encoding }), 413, 'VALIDATION_ERROR');
    });

    it('meets a compressed body that never begins', async () => {
      // A gzip header whose comment goes on and on; nothing is ever decompressed.
      const header = Buffer.from([0x1f, 0x8b, 8, 0x10, 0, 0, 0, 0, 0, 3]);
      const body = Buffer.concat([header, Buffer.alloc(3 * megabyte, 'c')]);
      expectError(await send(body, { 'Content-Encoding': 'gzip' }), 413, 'VALIDATION_ERROR');
      // Nor does it say how long it is.
      const response = await fetch(`${service.url}/api/v1/probe/public`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
        body: new Blob([body]).stream(),
        duplex: 'half',
      });
      expect(response.status).toBe(413);
    });

    it('follows the limit that is configured', async () => {
      const small = await startApp({ bodyLimitBytes: 100, databaseUrl: service.databaseUrl }, [ProbeModule]);
      try {
        const answer = await api(small.url).post('/probe/public', {
          platform: 'platform_a',
          name: 'x'.repeat(100),
        });
        expectError(answer, 413, 'VALIDATION_ERROR', 'The request body is larger than 100 bytes');
      } finally {
        await small.close();
      }
    });
  });

  describe('refusals before the body is read', () => {
    it.each([
      [401, '/probe', {}],
      [404, '/nowhere', {}],
      [415, '/probe', { 'Content-Type': 'text/plain' }],
    ])('%d reaches a client that sends 24 MB', async (status, path, headers) => {
      const answer = await stranger.send('POST', path, { body: large, headers });
      expect(answer.status).toBe(status);
      expect(answer.body.error.request_id).toBe(answer.headers.get('X-Request-ID'));
    });
  });

  describe('415', () => {
    it.each([
      'text/plain',
      'text/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json-patch+json',
      'application/json; charset=utf-16',
      'application/json; charset=latin1',
      'application/json, text/plain',
      '',
    ])('refuses Content-Type %j', async (contentType) => {
      expectError(
        await send('{}', { 'Content-Type': contentType }),
        415,
        'UNSUPPORTED_MEDIA_TYPE',
        'Content-Type must be application/json, in UTF-8',
      );
    });

    it('refuses a request without a Content-Type, with or without a body', async () => {
      for (const rest of ['Content-Length: 2\r\n\r\n{}', 'Content-Length: 0\r\n\r\n', '\r\n']) {
        const [answer] = await rawHttp(
          service.url,
          `DELETE /api/v1/demo/session HTTP/1.1\r\nHost: x\r\n${rest}`,
          1,
        );
        expect(answer?.status).toBe(415);
      }
    });

    it.each(['compress', 'zstd', 'gzip, gzip', 'x'])('refuses Content-Encoding %s', async (encoding) => {
      expectError(await send('{}', { 'Content-Encoding': encoding }), 415, 'UNSUPPORTED_MEDIA_TYPE');
    });

    it.each(['Application/JSON', 'application/json; charset=UTF-8', 'application/json;charset="utf-8"'])(
      'does not refuse %s',
      async (contentType) => {
        expect((await send(withData('{}'), { 'Content-Type': contentType })).status).toBe(200);
      },
    );
  });
});
