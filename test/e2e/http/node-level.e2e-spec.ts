import { connect } from 'node:net';
import { startApp, type RunningApp } from '../../support/app/app';
import { ProbeModule } from '../../support/app/probe.module';
import { rawHttp, type RawResponse } from '../../support/http/raw-http';

const json = 'Host: x\r\nContent-Type: application/json\r\n';

function expectRefusal(answer: RawResponse | undefined, status: number, type: string): void {
  expect(answer?.status).toBe(status);
  expect(answer?.headers).toMatchObject({
    'x-request-id': expect.stringMatching(/^req_[A-Za-z0-9]{16,}$/),
    'api-version': '1.0',
    'content-type': 'application/json; charset=utf-8',
  });
  expect(JSON.parse(answer?.body ?? '')).toEqual({
    error: { type, message: expect.any(String), request_id: answer?.headers['x-request-id'] },
  });
}

describe('requests that Node would refuse by itself', () => {
  let service: RunningApp;
  let key: string;
  beforeAll(async () => {
    service = await startApp({}, [ProbeModule]);
    ({ key } = await service.openSession());
  });
  afterAll(() => service.close());

  it.each([
    ['what is no HTTP', 'hello\r\n\r\n', 400],
    ['a broken header', 'GET /api/v1/health HTTP/1.1\r\nHost: x\r\nbroken header\r\n\r\n', 400],
    ['a NUL in a header', 'GET /api/v1/health HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n', 400],
    ['an HTTP version that does not exist', 'GET /api/v1/health HTTP/9.9\r\nHost: x\r\n\r\n', 400],
    ['no Host', 'GET /api/v1/health HTTP/1.1\r\n\r\n', 400],
    ['two Hosts', 'GET /api/v1/health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', 400],
    ['the same Host twice', 'GET /api/v1/health HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n', 400],
    ['two Hosts in an older version', 'GET /api/v1/health HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n', 400],
    ['a Host that is none', 'GET /api/v1/health HTTP/1.1\r\nHost: x/y@z\r\n\r\n', 400],
    [
      'two lengths that differ',
      `POST /api/v1/probe HTTP/1.1\r\n${json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      400,
    ],
    [
      'a length and chunks',
      `POST /api/v1/probe HTTP/1.1\r\n${json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      'headers without end',
      `GET /api/v1/health HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(40_000)}\r\n\r\n`,
      431,
    ],
  ])('answers %s in our form', async (_what, text, status) => {
    const [answer] = await rawHttp(service.url, text, 1);
    expectRefusal(answer, status, 'VALIDATION_ERROR');
  });

  it('answers CONNECT in our form', async () => {
    const [bare] = await rawHttp(service.url, 'CONNECT example:443 HTTP/1.1\r\nHost: example:443\r\n\r\n', 1);
    expectRefusal(bare, 415, 'UNSUPPORTED_MEDIA_TYPE');
    const [typed] = await rawHttp(service.url, `CONNECT example:443 HTTP/1.1\r\n${json}\r\n`, 1);
    expectRefusal(typed, 404, 'NOT_FOUND');
  });

  it.each(['TRACE', 'PROPFIND', 'PATCH'])('answers %s like any unknown route', async (method) => {
    const [bare] = await rawHttp(service.url, `${method} /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n`, 1);
    expectRefusal(bare, 415, 'UNSUPPORTED_MEDIA_TYPE');
    const [typed] = await rawHttp(service.url, `${method} /api/v1/health HTTP/1.1\r\n${json}\r\n`, 1);
    expectRefusal(typed, 404, 'NOT_FOUND');
  });

  it('ignores an expectation it does not know, and an upgrade it does not offer', async () => {
    const headers = ['Expect: miracles', 'Connection: Upgrade\r\nUpgrade: websocket'];
    for (const header of headers) {
      const [answer] = await rawHttp(
        service.url,
        `GET /api/v1/health HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`,
        1,
      );
      expect(answer).toMatchObject({ status: 200, headers: { 'api-version': '1.0' } });
    }
  });

  it('takes an absolute request target', async () => {
    const [answer] = await rawHttp(service.url, 'GET http://other/livez?x=1 HTTP/1.1\r\nHost: x\r\n\r\n', 1);
    expect(answer?.status).toBe(200);
  });

  it.each(['http://', 'https://', 'http://[', 'http://@', 'http://?x=1', 'http://other'])(
    'takes the target %s, which has no path, for the root, where nothing is',
    async (target) => {
      for (const method of ['GET', 'POST']) {
        const [answer] = await rawHttp(
          service.url,
          `${method} ${target} HTTP/1.1\r\n${json}Content-Length: 0\r\n\r\n`,
          1,
        );
        expectRefusal(answer, 404, 'NOT_FOUND');
      }
    },
  );

  it('reads query parameters to the last', async () => {
    const query = `${'a=1&'.repeat(2000)}last=1`;
    const [answer] = await rawHttp(
      service.url,
      `GET /api/v1/probe?${query} HTTP/1.1\r\n${json}Authorization: Bearer ${key}\r\n\r\n`,
      1,
    );
    expectRefusal(answer, 400, 'VALIDATION_ERROR');
    expect(answer?.body).toContain('last');
  });

  it('answers HTTP/1.0 requests, which have no Host header', async () => {
    const [answer] = await rawHttp(service.url, 'GET /api/v1/health HTTP/1.0\r\n\r\n');
    expect(answer?.status).toBe(200);
  });

  it('does not take two different headers for one', async () => {
    const [types] = await rawHttp(
      service.url,
      `POST /api/v1/probe HTTP/1.1\r\n${json}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`,
      1,
    );
    expectRefusal(types, 415, 'UNSUPPORTED_MEDIA_TYPE');
    const [keys] = await rawHttp(
      service.url,
      `GET /api/v1/probe?platform=platform_a HTTP/1.1\r\n${json}Authorization: Bearer ${key}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      1,
    );
    expectRefusal(keys, 401, 'AUTHENTICATION_ERROR');
  });

  it('answers the next request of a connection whose last body was refused unread', async () => {
    const refused = `POST /api/v1/nowhere HTTP/1.1\r\n${json}Content-Length: 300000\r\n\r\n${'x'.repeat(300_000)}`;
    const next = 'GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n';
    const answers = await rawHttp(service.url, refused + refused + next, 3);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 200]);
  });

  it('answers before the body is there, when it will not be read', async () => {
    const [answer] = await rawHttp(
      service.url,
      `POST /api/v1/probe HTTP/1.1\r\n${json}Content-Length: 1000\r\n\r\nonly the beginning`,
      1,
    );
    expectRefusal(answer, 401, 'AUTHENTICATION_ERROR');
  });

  it('answers 413 before the body is there', async () => {
    const head = `POST /api/v1/probe/public HTTP/1.1\r\n${json}`;
    const [declared] = await rawHttp(service.url, `${head}Content-Length: 9999999999\r\n\r\n{`, 1);
    expectRefusal(declared, 413, 'VALIDATION_ERROR');
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    const [chunked] = await rawHttp(
      service.url,
      `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`,
      1,
    );
    expectRefusal(chunked, 413, 'VALIDATION_ERROR');
  });

  it('says once that chunks are broken, whether or not they are read', async () => {
    const broken = 'Transfer-Encoding: chunked\r\n\r\nnot a length\r\n';
    const [read] = await rawHttp(service.url, `POST /api/v1/probe/public HTTP/1.1\r\n${json}${broken}`);
    expectRefusal(read, 400, 'VALIDATION_ERROR');
    const unread = await rawHttp(service.url, `POST /api/v1/nowhere HTTP/1.1\r\n${json}${broken}`);
    expect(unread).toHaveLength(1);
  });

  it('keeps serving when clients disconnect in the middle of a request', async () => {
    const { hostname, port } = new URL(service.url);
    const beginnings = [
      'GET /api/v1/health HTTP/1.1\r\nHost',
      `POST /api/v1/probe/public HTTP/1.1\r\n${json}Content-Length: 1000\r\n\r\n{"a`,
      `POST /api/v1/probe/public HTTP/1.1\r\n${json}Content-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n\x1f`,
      `POST /api/v1/demo/session HTTP/1.1\r\n${json}Content-Length: 2\r\n\r\n{}`,
      `GET /api/v1/probe/stream/endless HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    ];
    await Promise.all(
      beginnings.map(
        (text) =>
          new Promise<void>((resolve, reject) => {
            const socket = connect(Number(port), hostname, () => {
              socket.write(text, () => socket.resetAndDestroy());
            });
            socket.once('close', () => resolve());
            socket.once('error', reject);
          }),
      ),
    );
    expect((await fetch(`${service.url}/api/v1/health`)).status).toBe(200);
  });
});
