import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { REQUEST_ID } from '../../support/app/expectations';
import { ProbeModule } from '../../support/app/probe.module';

describe('the headers on every answer', () => {
  let service: RunningApp;
  let key: string;
  beforeAll(async () => {
    service = await startApp({ corsAllowedOrigins: ['https://app.example'] }, [ProbeModule]);
    ({ key } = await service.openSession());
  });
  afterAll(() => service.close());

  it.each<[string, number, string, string, Record<string, string>, string | undefined]>([
    ['a success', 200, 'GET', '/api/v1/health', {}, undefined],
    ['an answer to HEAD', 200, 'HEAD', '/api/v1/health', {}, undefined],
    ['204', 204, 'GET', '/api/v1/probe/nothing', {}, undefined],
    ['malformed JSON', 400, 'POST', '/api/v1/probe', {}, '{"a":'],
    ['a missing field', 400, 'POST', '/api/v1/probe', {}, '{}'],
    ['a malformed query', 400, 'GET', '/api/v1/probe?platform=%zz&%', {}, undefined],
    ['no key', 401, 'POST', '/api/v1/probe', { Authorization: '' }, '{}'],
    ['an unknown route', 404, 'GET', '/api/v1/nowhere', {}, undefined],
    ['an unknown route outside the prefix', 404, 'GET', '/', {}, undefined],
    ['an unknown method of a known route', 404, 'PUT', '/api/v1/health', {}, '{}'],
    ['malformed percent-encoding in the path', 404, 'GET', '/api/v1/%zz/%', {}, undefined],
    ['a conflict', 409, 'GET', '/api/v1/probe/conflict', {}, undefined],
    ['a body that is too large', 413, 'POST', '/api/v1/probe', {}, 'x'.repeat(2_000_000)],
    ['a foreign content type', 415, 'POST', '/api/v1/probe', { 'Content-Type': 'text/plain' }, 'x'],
    ['a fault', 500, 'GET', '/api/v1/probe/fault', {}, undefined],
    [
      'an allowed preflight',
      204,
      'OPTIONS',
      '/api/v1/connect',
      { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' },
      undefined,
    ],
    [
      'a preflight of the page',
      204,
      'OPTIONS',
      '/docs',
      { Origin: 'https://app.example', 'Access-Control-Request-Method': 'GET' },
      undefined,
    ],
    [
      'a preflight that is not allowed',
      204,
      'OPTIONS',
      '/api/v1/connect',
      { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
      undefined,
    ],
    ['a stream', 200, 'GET', '/api/v1/probe/stream/long', {}, undefined],
  ])('are on %s', async (_what, status, method, path, headers, body) => {
    const response = await fetch(service.url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    });
    await response.arrayBuffer();
    expect(response.status).toBe(status);
    expect(response.headers.get('X-Request-ID')).toMatch(REQUEST_ID);
    expect(response.headers.get('API-Version')).toBe('1.0');
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(response.headers.get('X-Powered-By')).toBeNull();
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(response.headers.get('X-Frame-Options')).toBe('DENY');
    expect(response.headers.get('Strict-Transport-Security')).toMatch(/^max-age=\d{8}/);
  });

  it('keep a request ID of our form', async () => {
    const id = `req_${'Abc123'.repeat(4)}`;
    const answer = await api(service.url).get('/nowhere', { 'X-Request-ID': id });
    expect(answer.headers.get('X-Request-ID')).toBe(id);
    expect(answer.body.error.request_id).toBe(id);
  });

  it.each(['abc', 'req_', 'req_short', 'req_with-dashes-in-it', `req_${'x'.repeat(65)}`, '<script>'])(
    'replace the request ID %s',
    async (id) => {
      const answer = await api(service.url).get('/health', { 'X-Request-ID': id });
      expect(answer.headers.get('X-Request-ID')).not.toBe(id);
      expect(answer.headers.get('X-Request-ID')).toMatch(REQUEST_ID);
    },
  );

  it.each([
    ['If-None-Match', '*'],
    ['If-Modified-Since', 'Fri, 01 Jan 2100 00:00:00 GMT'],
  ])('never say "not modified" to %s of an answer that has no tag', async (name, value) => {
    const answer = await api(service.url, key).get('/connections', { [name]: value });
    expect([answer.status, answer.headers.get('ETag')]).toEqual([200, null]);
  });

  it('give each request an ID of its own', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => api(service.url).get('/health')));
    expect(new Set(answers.map(({ headers }) => headers.get('X-Request-ID'))).size).toBe(20);
  });
});
