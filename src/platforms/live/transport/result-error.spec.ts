import { toApiError } from '../../../common/errors/error-translation';
import { PlatformRefused, PlatformUnavailable } from '../../platform-error';
import { PlatformResponse } from '../platform-response';
import type { PlatformResult } from '../platform-result';
import { platformErrorOf } from './result-error';

const answered = (status: number): PlatformResult => ({
  kind: 'answered',
  response: new PlatformResponse(status, {}, Buffer.from('{"secret":"private"}')),
});

describe('platformErrorOf', () => {
  it.each([
    [answered(403), PlatformRefused, 'platform_b refused (403)', 403],
    [answered(404), PlatformRefused, 'platform_b refused (404)', 404],
    [answered(302), PlatformRefused, 'platform_b refused (302)', 302],
    [answered(429), PlatformUnavailable, 'platform_b cannot serve now (429)', 429],
    [answered(408), PlatformUnavailable, 'platform_b cannot serve now (408)', 408],
    [answered(503), PlatformUnavailable, 'platform_b cannot serve now (503)', 503],
    [answered(200), PlatformUnavailable, 'platform_b answers nonsense (200)', 200],
    [
      { kind: 'unknown', reason: 'truncated', status: 200 } as const,
      PlatformUnavailable,
      'platform_b cut its answer (200)',
      200,
    ],
    [
      { kind: 'unknown', reason: 'reset' } as const,
      PlatformUnavailable,
      'platform_b broke the connection',
      undefined,
    ],
    [
      { kind: 'not_sent', reason: 'refused' } as const,
      PlatformUnavailable,
      'platform_b cannot be reached: the connection was refused',
      undefined,
    ],
  ])('says of %p which platform and which status', (result, type, message, status) => {
    const error = platformErrorOf('platform_b', result);
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ platform: 'platform_b', platformStatus: status, name: type.name });
    expect(toApiError(error)).toMatchObject({ type: 'EXTERNAL_SERVICE_ERROR', status: 502, message });
    expect(JSON.stringify(error)).not.toContain('private');
  });

  it('says when a call that was not sent may be sent', () => {
    const result = { kind: 'not_sent', reason: 'rate_limiter' } as const;
    expect(platformErrorOf('platform_a', { ...result, afterMs: 6_200 })).toMatchObject({
      message: 'platform_a allows no more calls for now',
      headers: { 'Retry-After': '7' },
    });
    expect(platformErrorOf('platform_a', result).headers).toEqual({});
  });
});
