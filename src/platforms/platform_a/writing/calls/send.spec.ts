import { PlatformResponse } from '../../../live/platform-response';
import type { PlatformResult } from '../../../live/platform-result';
import { Session } from '../../wire/session';
import { sendWrite } from './send';

const now = new Date('2026-03-01T10:00:00.000Z');

/** What a call becomes that the platform answers like this. */
function sent(result: PlatformResult) {
  const session = new Session(
    { customerId: 'c', platform: 'platform_a' },
    { api_url: 'https://api.example', company_id: '1' },
    { send: () => Promise.resolve(result) },
    new AbortController().signal,
    () => now,
  );
  return sendWrite(session, { method: 'POST', path: '/x', body: {} }, { retry: 10, refused: 20 });
}

const answered = (status: number, text = '', headers: Record<string, string> = {}): PlatformResult => ({
  kind: 'answered',
  response: new PlatformResponse(status, headers, Buffer.from(text)),
});

describe('a call that writes to platform_a', () => {
  it.each([303, 408, 500, 502, 503, 504])('may have been done where the answer is %s', async (status) => {
    expect(await sent(answered(status))).toEqual({ status: 'uncertain' });
    expect(await sent({ kind: 'unknown', reason: 'truncated', status })).toEqual({ status: 'uncertain' });
  });

  it.each([301, 302, 307, 308, 400, 403, 422])('was not done where the answer is %s', async (status) => {
    const reason = `platform_a refused it (${status})`;
    expect(await sent(answered(status))).toEqual({ status: 'rejected', reason });
    expect(await sent({ kind: 'unknown', reason: 'truncated', status })).toEqual({
      status: 'rejected',
      reason,
    });
  });

  it.each(['', 'Not Found', '<html><body>404</body></html>', '[]'])(
    'has no record where the platform itself says so, and may have been done where a 404 is another’s: %s',
    async (page) => {
      expect(await sent(answered(404, '{"code":404,"message":"Not Found"}'))).toMatchObject({
        status: 'gone',
      });
      expect(await sent(answered(404, page))).toEqual({ status: 'uncertain' });
      expect(await sent({ kind: 'unknown', reason: 'truncated', status: 404 })).toEqual({
        status: 'uncertain',
      });
    },
  );

  it('has another record in its way where the answer is 409', async () => {
    expect(await sent(answered(409, '{"message":"It is there"}'))).toEqual({
      status: 'duplicate',
      reason: 'It is there',
    });
    expect(await sent({ kind: 'unknown', reason: 'truncated', status: 409 })).toMatchObject({
      status: 'duplicate',
    });
  });

  it('is sent again when the platform asks for it because of its limits', async () => {
    expect(await sent(answered(429, '', { 'retry-after': '30' }))).toMatchObject({
      status: 'deferred',
      until: new Date('2026-03-01T10:00:30.000Z'),
    });
  });

  it('may have been done by a busy platform, which is asked when it names', async () => {
    expect(await sent(answered(503, '', { 'retry-after': '30' }))).toEqual({
      status: 'uncertain',
      until: new Date('2026-03-01T10:00:30.000Z'),
    });
  });
});
