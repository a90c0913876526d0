import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { ProbeModule } from '../../support/app/probe.module';

const valid = { platform: 'platform_a', name: 'x' };

describe('error answers', () => {
  let service: RunningApp;
  let caller: ReturnType<typeof api>;
  let stranger: ReturnType<typeof api>;
  beforeAll(async () => {
    service = await startApp({}, [ProbeModule]);
    caller = api(service.url, (await service.openSession()).key);
    stranger = api(service.url);
  });
  afterAll(() => service.close());

  describe('400', () => {
    it('names every offending field of a body', async () => {
      expectError(
        await caller.post('/probe', { platform: 'platform_c', name: 7, data: [] }),
        400,
        'VALIDATION_ERROR',
        'Invalid input: platform must be one of the following values: platform_a, platform_b; ' +
          'name must be a string; data must be a JSON object',
      );
    });

    it.each([['{}'], [''], [undefined]])('names the missing fields of the body %j', async (body) => {
      expectError(
        await caller.send('POST', '/probe', { body }),
        400,
        'VALIDATION_ERROR',
        /^Invalid input: .*platform.*name/,
      );
    });

    it('names a query parameter that is missing, wrong or repeated', async () => {
      expectError(await caller.get('/probe'), 400, 'VALIDATION_ERROR', /^Invalid input: .*platform/);
      expectError(await caller.get('/probe?platform=x'), 400, 'VALIDATION_ERROR', /platform/);
      expectError(
        await caller.get('/probe?platform=platform_a&platform=platform_a'),
        400,
        'VALIDATION_ERROR',
        'Invalid input: platform must be given only once',
      );
    });

    it.each([
      '?platform[]=platform_a',
      '?platform[a]=platform_a',
      '?platform=%zz',
      '?__proto__[platform]=platform_a',
    ])('finds no platform in the query %s', async (query) => {
      expectError(await caller.get(`/probe${query}`), 400, 'VALIDATION_ERROR', /platform/);
    });

    it.each(['/objects/100%', '/objects/%ff/history', '/propagations/%zz'])(
      'says what is wrong with the path %s',
      async (path) => {
        // No route can be found for it that could ask for a key.
        for (const one of [caller, stranger]) {
          expectError(
            await one.get(path),
            400,
            'VALIDATION_ERROR',
            'Invalid input: the path is not UTF-8 in percent-encoding',
          );
        }
      },
    );
  });

  describe('401', () => {
    it('answers a request without a key, whatever else is wrong with it', async () => {
      expectError(
        await stranger.post('/probe', {}),
        401,
        'AUTHENTICATION_ERROR',
        'Invalid or missing API key',
      );
    });

    it('names the scheme that is asked for', async () => {
      expect((await stranger.post('/probe', {})).headers.get('WWW-Authenticate')).toBe('Bearer');
    });
  });

  describe('404', () => {
    it.each([
      ['GET', '/nowhere'],
      ['POST', '/nowhere'],
      ['GET', '/probe/'.concat('x'.repeat(5000))],
      ['PATCH', '/probe'],
      ['GET', '/demo/session'],
      ['GET', '/%E0%A4%A'],
      ['GET', '/../../../etc/passwd'],
    ])('answers %s %s, with and without a key', async (method, path) => {
      for (const client of [caller, stranger]) {
        expectError(await client.send(method, path), 404, 'NOT_FOUND', 'There is no such route');
      }
    });
  });

  describe('409', () => {
    it('gives the message of the error and not its cause', async () => {
      const answer = await caller.get('/probe/conflict');
      expectError(answer, 409, 'CONFLICT_ERROR', 'Already there');
      expect(answer.text).not.toContain('uq_secret');
    });
  });

  describe('413', () => {
    it('is a VALIDATION_ERROR', async () => {
      expectError(
        await caller.post('/probe', { ...valid, data: { long: 'x'.repeat(1_048_576) } }),
        413,
        'VALIDATION_ERROR',
        'The request body is larger than 1048576 bytes',
      );
    });

    it('begins one byte beyond the limit', async () => {
      const shell = JSON.stringify({ ...valid, name: '' }).length;
      const filled = (length: number) =>
        caller.post('/probe', { ...valid, name: 'x'.repeat(length - shell) });
      expect((await filled(1_048_576)).status).toBe(200);
      expect((await filled(1_048_577)).status).toBe(413);
    });
  });

  describe('500', () => {
    it('reveals nothing, and logs the stack under the request ID, without the error’s other members', async () => {
      const answer = await caller.get('/probe/fault');
      expectError(answer, 500, 'INTERNAL_ERROR', /^Something went wrong on our side/);
      expect(answer.text).not.toContain('hunter2');
      const line = service.log.find(
        (entry) => entry.level === 'error' && entry.request_id === answer.headers.get('X-Request-ID'),
      );
      expect(line).toMatchObject({
        err: { message: 'password=hunter2', stack: expect.stringContaining('fault') },
      });
      expect(JSON.stringify(line)).not.toContain('secret of a customer');
    });
  });
});
