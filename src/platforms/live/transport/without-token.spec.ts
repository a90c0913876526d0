import { PlatformResponse } from '../platform-response';
import type { PlatformResult } from '../platform-result';
import { withoutToken } from './without-token';

const TOKEN = 'eyJ.abc+/=.xyz';
const answered = (status: number, body: string, headers: Record<string, string> = {}): PlatformResult => ({
  kind: 'answered',
  response: new PlatformResponse(status, headers, Buffer.from(body)),
});
const read = (result: PlatformResult) => (result.kind === 'answered' ? result.response : undefined);

describe('an answer that repeats the token of its request', () => {
  it('has the token removed from the message of a refusal, everywhere', () => {
    const body = JSON.stringify({ errors: { base: [`Bearer ${TOKEN} is not welcome`, TOKEN] } });
    const response = read(withoutToken(answered(422, body), `Bearer ${TOKEN}`));
    expect(response?.json()).toEqual({
      kind: 'json',
      value: { errors: { base: ['Bearer [token] is not welcome', '[token]'] } },
    });
    expect(response?.status).toBe(422);
  });

  it.each([200, 500])('has the token removed from headers, with status %i', (status) => {
    const headers = { 'x-request-id': TOKEN, link: `<https://x/?t=${TOKEN}>; rel="next"`, total: '7' };
    const response = read(withoutToken(answered(status, '[1]', headers), `Bearer ${TOKEN}`));
    expect(response?.headers).toEqual({
      'x-request-id': '[token]',
      link: '<https://x/?t=[token]>; rel="next"',
      total: '7',
    });
    expect(response?.text).toBe('[1]');
  });

  it('has every repeated part of the token removed', () => {
    const token = `${'a'.repeat(40)}.${'b'.repeat(40)}`;
    const response = read(withoutToken(answered(401, `<${token.slice(0, 60)}> ${token}`), `Bearer ${token}`));
    expect(response?.text).toBe('<[token]> [token]');
  });

  it('is searched for in time that follows from the size of the answer, whatever the platform chose as token', () => {
    const token = `${'a'.repeat(8_000)}b${'a'.repeat(8_000)}`;
    const millisecondsFor = (length: number): number => {
      const answer = answered(400, 'a'.repeat(length));
      const began = performance.now();
      expect(read(withoutToken(answer, `Bearer ${token}`))).toBeDefined();
      return performance.now() - began;
    };
    // A search for the whole token takes a minute for so much text.
    expect(millisecondsFor(8_000_000)).toBeLessThan(5_000);
  });

  it.each<[string, PlatformResult, string | undefined]>([
    ['there is none', answered(422, 'Bearer of bad news'), `Bearer ${TOKEN}`],
    ['the call had none', answered(401, TOKEN), undefined],
    ['it is too short to be told from words', answered(422, 'must be a word'), 'Bearer a'],
    ['records hold such a text', answered(200, `["${TOKEN}"]`), `Bearer ${TOKEN}`],
    ['nothing was answered', { kind: 'not_sent', reason: 'rate_limiter' }, `Bearer ${TOKEN}`],
  ])('is left alone when %s', (_, result, authorization) => {
    expect(withoutToken(result, authorization)).toBe(result);
  });
});
