import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { ProbeModule } from '../../support/app/probe.module';

const foreign = { 'Content-Type': 'text/plain' };

describe('the order of refusals', () => {
  let service: RunningApp;
  let caller: ReturnType<typeof api>;
  let liveCaller: ReturnType<typeof api>;
  let stranger: ReturnType<typeof api>;
  beforeAll(async () => {
    service = await startApp({}, [ProbeModule]);
    caller = api(service.url, (await service.openSession()).key);
    liveCaller = api(service.url, (await service.issueKey('live')).key);
    stranger = api(service.url);
  });
  afterAll(() => service.close());

  it('puts 415 before 404, 401 and 400', async () => {
    for (const path of ['/nowhere', '/probe', '/demo/session']) {
      expectError(
        await stranger.send('POST', path, { headers: foreign, body: 'no JSON' }),
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      );
    }
  });

  it('puts 415 before 429, which is before 400, and does not count it', async () => {
    for (let count = 0; count < 10; count += 1) {
      expect((await stranger.send('POST', '/demo/session', { headers: foreign })).status).toBe(415);
    }
    for (let count = 0; count < 5; count += 1)
      expect((await stranger.post('/demo/session')).status).toBe(200);
    expect((await stranger.post('/demo/session')).status).toBe(429);
    expect((await stranger.send('POST', '/demo/session', { headers: foreign })).status).toBe(415);
    // And 429 comes before 400.
    expect((await stranger.send('POST', '/demo/session', { body: 'no JSON' })).status).toBe(429);
  });

  it('puts 429 before 401', async () => {
    for (let count = 0; count < 5; count += 1) {
      expectError(await stranger.get('/probe/limited'), 401, 'AUTHENTICATION_ERROR');
    }
    expectError(await stranger.get('/probe/limited'), 429, 'RATE_LIMIT_ERROR');
    expectError(await caller.get('/probe/limited'), 429, 'RATE_LIMIT_ERROR');
  });

  it('puts 404 of the route before 401', async () => {
    expectError(await stranger.post('/nowhere'), 404, 'NOT_FOUND');
    expectError(await stranger.send('PUT', '/probe', { body: {} }), 404, 'NOT_FOUND');
  });

  it('puts 401 before 413 and 400', async () => {
    expectError(await stranger.post('/probe', 'no JSON'), 401, 'AUTHENTICATION_ERROR');
    expectError(await stranger.post('/probe', 'x'.repeat(2_000_000)), 401, 'AUTHENTICATION_ERROR');
  });

  it('puts 401 before 403', async () => {
    expectError(await stranger.delete('/demo/session'), 401, 'AUTHENTICATION_ERROR');
    expectError(await liveCaller.delete('/demo/session'), 403, 'AUTHORIZATION_ERROR');
  });

  it('puts 403 before 400', async () => {
    expectError(await liveCaller.send('DELETE', '/demo/session', { body: '[]' }), 403, 'AUTHORIZATION_ERROR');
    expectError(await caller.send('DELETE', '/demo/session', { body: '[]' }), 400, 'VALIDATION_ERROR');
  });
});
