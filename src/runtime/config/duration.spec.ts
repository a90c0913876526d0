import * as fc from 'fast-check';
import { parseDuration } from './duration';

describe('parseDuration', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['0d', 0],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['12h', 43_200_000],
    ['7d', 604_800_000],
    ['007m', 420_000],
  ])('reads %s', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each([
    '',
    ' ',
    's',
    '45',
    '00',
    '-1s',
    '+1s',
    '1.5h',
    '1e3',
    '1 h',
    ' 1h',
    '1h ',
    '1h\n',
    '1H',
    '1w',
    '1ms',
    '1h30m',
    '٣d',
  ])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it.each(['9007199254741s', '104249991375d', '9999999999999999s'])(
    'refuses %s, too long to count',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  it('agrees between units', () => {
    fc.assert(
      fc.property(fc.nat({ max: 100_000 }), (days) => {
        const expected = parseDuration(`${days}d`);
        expect(expected).toBe(days * 86_400_000);
        expect(parseDuration(`${days * 24}h`)).toBe(expected);
        expect(parseDuration(`${days * 1_440}m`)).toBe(expected);
        expect(parseDuration(`${days * 86_400}s`)).toBe(expected);
      }),
    );
  });
});
