import { inspect } from 'node:util';
import { AccessToken } from './token';
import { usableToken } from './usable-token';

const MINUTE = 60_000;

describe('the use of a token', () => {
  it.each([
    ['an hour', 3_600, 0, 59 * MINUTE],
    ['an hour, after a slow answer', 3_600, 5_000, 59 * MINUTE - 5_000],
    ['a minute', 60, 0, 54_000],
    ['a second', 1, 0, 900],
    ['less than its answer took', 1, 2_000, 1],
    ['a year', 31_536_000, 0, 30 * 86_400_000 - MINUTE],
    ['for ever', Infinity, 0, 30 * 86_400_000 - MINUTE],
  ])('ends before its life, which is %s', (_what, expiresInSeconds, elapsed, usableFor) => {
    expect(usableToken('platform_a', { accessToken: 't', expiresInSeconds }, elapsed, MINUTE)).toEqual({
      accessToken: 't',
      refreshToken: undefined,
      usableFor,
    });
  });

  it.each([
    [{ accessToken: '', expiresInSeconds: 60 }],
    [{ accessToken: 'a b', expiresInSeconds: 60 }],
    [{ accessToken: 'hunter2\r\nHost: elsewhere', expiresInSeconds: 60 }],
    [{ accessToken: 'hunter2'.repeat(3_000), expiresInSeconds: 60 }],
    [{ accessToken: 'hunter2', expiresInSeconds: 0 }],
    [{ accessToken: 'hunter2', expiresInSeconds: -1 }],
    [{ accessToken: 'hunter2', expiresInSeconds: NaN }],
    [{ accessToken: 'hunter2', expiresInSeconds: 60, refreshToken: '' }],
  ])('is refused for what is none: case %#', (answer) => {
    expect(() => usableToken('platform_a', answer, 0, MINUTE)).toThrow(
      /^platform_a answered without a usable access token$/,
    );
  });
});

describe('a token', () => {
  const token = new AccessToken('hunter2', 3, { api_url: 'https://api.example' });

  it('has a value for the header', () => expect(token.value).toBe('hunter2'));

  it('is for the settings that it was requested with, in any order', () => {
    const other = new AccessToken('hunter2', 3, { api_url: 'https://api.example', company_id: '7' });
    expect(other.isFor({ company_id: '7', api_url: 'https://api.example' })).toBe(true);
    expect(other.isFor({ company_id: '8', api_url: 'https://api.example' })).toBe(false);
    expect(other.isFor({})).toBe(false);
  });

  it('prints its generation only', () => {
    const printed = [
      String(token),
      JSON.stringify({ token }),
      inspect({ token }),
      inspect({ ...token }),
    ].join();
    expect(printed).toContain('[token 3]');
    expect(printed).not.toContain('hunter2');
  });
});
