import { startApp, type RunningApp } from '../../support/app/app';

const ours = 'https://app.example';

describe('CORS', () => {
  let service: RunningApp;
  let closed: RunningApp;
  beforeAll(async () => {
    service = await startApp({ corsAllowedOrigins: [ours, 'http://localhost:5173'] });
    closed = await startApp({ databaseUrl: service.databaseUrl });
  });
  afterAll(async () => {
    await closed.close();
    await service.close();
  });

  const preflight = (url: string, origin: string, method = 'POST') =>
    fetch(`${url}/api/v1/connect`, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'authorization,content-type',
      },
    });

  it.each([ours, 'http://localhost:5173'])('lets %s in, without a key', async (origin) => {
    const response = await preflight(service.url, origin);
    expect(response.status).toBe(204);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(origin);
    expect(response.headers.get('Access-Control-Allow-Methods')).toBe('GET,HEAD,POST,PUT,PATCH,DELETE');
    expect(response.headers.get('Access-Control-Allow-Headers')).toBe(
      'Authorization,Content-Type,Idempotency-Key,If-Match,If-None-Match,X-Request-ID,traceparent,tracestate',
    );
    expect(response.headers.get('Access-Control-Allow-Credentials')).toBeNull();
    expect(response.headers.get('Vary')).toMatch(/Origin/);
  });

  it.each([
    'https://evil.example',
    'http://app.example',
    'https://app.example:8443',
    'https://app.example.evil.example',
    'https://sub.app.example',
    'null',
    '*',
  ])('refuses %s', async (origin) => {
    const response = await preflight(service.url, origin);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull();
    const answer = await fetch(`${service.url}/api/v1/health`, { headers: { Origin: origin } });
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBeNull();
    expect(answer.headers.get('Access-Control-Expose-Headers')).toBeNull();
    expect(answer.headers.get('Vary')).toBe('Origin');
  });

  it('allows no origin unless configured', async () => {
    for (const origin of [ours, 'http://localhost:3000', 'null']) {
      expect((await preflight(closed.url, origin)).headers.get('Access-Control-Allow-Origin')).toBeNull();
    }
  });

  it('lets an allowed page read the answer and our headers, refusals included', async () => {
    for (const [path, method, contentType] of [
      ['/health', 'GET', ''],
      ['/connect', 'POST', 'text/plain'],
      ['/nowhere', 'POST', 'application/json'],
    ]) {
      const response = await fetch(`${service.url}/api/v1${path}`, {
        method,
        headers: { Origin: ours, ...(contentType && { 'Content-Type': contentType }) },
      });
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe(ours);
      expect(response.headers.get('Access-Control-Expose-Headers')).toBe(
        'X-Request-ID,API-Version,Retry-After,Idempotent-Replayed,Link,Content-Disposition,ETag,Content-Location',
      );
    }
  });

  it('answers OPTIONS on any path, without key and content type', async () => {
    for (const path of ['/api/v1/objects', '/api/v1/nowhere', '/']) {
      const response = await fetch(service.url + path, { method: 'OPTIONS' });
      expect(response.status).toBe(204);
      expect(response.headers.get('X-Request-ID')).toMatch(/^req_/);
    }
  });
});
