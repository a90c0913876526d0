import { LONGEST_PAUSE_MS, retryAfterMs, untilUnixSecondsMs } from './requested-pause';
import { requestedPauseMs, responseFacts } from './response-facts';

const date = 'Fri, 02 Jan 2026 10:00:00 GMT';
const unix = Date.parse(date) / 1000;

describe('retryAfterMs', () => {
  it.each([
    [{}, undefined],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': ' 12 ' }, 12_000],
    [{ 'retry-after': '1.5' }, 1_500],
    [{ 'retry-after': '999999999' }, LONGEST_PAUSE_MS],
    [{ 'retry-after': '9'.repeat(400) }, undefined],
    [{ 'retry-after': '-3' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': 'Fri, 02 Jan 2026 10:00:05 GMT' }, undefined],
    [{ 'retry-after': 'Fri, 02 Jan 2026 10:00:05 GMT', date }, 5_000],
    [{ 'retry-after': 'Fri, 02 Jan 2026 09:00:00 GMT', date }, 0],
    [{ 'retry-after': 'Sat, 02 Jan 2027 10:00:05 GMT', date }, LONGEST_PAUSE_MS],
  ])('reads %p as %p', (headers, ms) => {
    expect(retryAfterMs({ headers })).toBe(ms);
  });
});

describe('untilUnixSecondsMs', () => {
  it.each([
    [undefined, { date }, undefined],
    [String(unix + 7), { date }, 7_000],
    [String(unix - 7), { date }, 0],
    [String(unix + 7), {}, undefined],
    ['30', { date }, undefined],
    ['1e12', { date }, undefined],
  ])('reads %p with %p as %p', (seconds, headers, ms) => {
    expect(untilUnixSecondsMs(seconds, { headers })).toBe(ms);
  });
});

describe('responseFacts', () => {
  const names = { limit: 'l', remaining: 'r', reset: 'x', nearest: true };
  const windowOf = (headers: Record<string, string>) => responseFacts({ status: 200, headers }, names).window;

  it.each([
    [
      { l: '25', r: '3', x: String(unix + 4), date },
      { limit: 25, remaining: 3, resetMs: 4_000 },
    ],
    [
      { l: '25', r: '0' },
      { limit: 25, remaining: 0, resetMs: undefined },
    ],
    [
      { l: '25', r: '99' },
      { limit: 25, remaining: 25, resetMs: undefined },
    ],
    [{ l: '0', r: '0' }, undefined],
    [{ l: '25' }, undefined],
    [{ l: 'many', r: '3' }, undefined],
    [
      { l: '99999999999', r: '3' },
      { limit: 10_000_000, remaining: 3, resetMs: undefined },
    ],
    [{ l: '9'.repeat(400), r: '3' }, undefined],
    [{ l: '25', r: '-1' }, undefined],
  ])('reads %p', (headers, window) => {
    expect(windowOf(headers)).toEqual(window);
  });

  it('reads no window where the platform has no such headers', () => {
    expect(responseFacts({ status: 200, headers: { l: '25', r: '3' } }, undefined).window).toBeUndefined();
  });

  it.each([
    [429, { l: '25', r: '0', x: String(unix + 4), date }, 4_000],
    [429, { l: '25', r: '0', x: String(unix + 4), date, 'retry-after': '9' }, 9_000],
    [429, {}, undefined],
    [200, { l: '25', r: '0', x: String(unix + 4), date }, undefined],
    [503, { 'retry-after': '2' }, 2_000],
  ])('asks after %i for the pause of %p', (status, headers, ms) => {
    expect(requestedPauseMs(responseFacts({ status, headers }, names))).toBe(ms);
  });
});
