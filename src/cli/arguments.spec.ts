import { InvalidArgumentError } from 'commander';
import { ageArgument, overlapArgument } from './arguments';

const DAY = 86_400_000;

describe('overlapArgument', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['24h', DAY],
    ['365d', 365 * DAY],
  ])('takes %s', (text, milliseconds) => {
    expect(overlapArgument(text)).toBe(milliseconds);
  });

  it.each(['', '24', '00', '-1h', '1w', '1.5h', 'soon', '366d', '31536001s', '99999999999999d'])(
    'refuses %j',
    (text) => {
      expect(() => overlapArgument(text)).toThrow(InvalidArgumentError);
      expect(() => overlapArgument(text)).toThrow(/^Expected 0 or a number with its unit, .* at most 365d/);
    },
  );
});

describe('ageArgument', () => {
  it('takes a duration', () => {
    expect(ageArgument('90d')).toBe(90 * DAY);
  });

  it.each(['0', '0d', '7', '3651d', 'all'])('refuses %j', (text) => {
    expect(() => ageArgument(text)).toThrow(/^Expected a number with its unit, .* at most 3650d/);
  });
});
