import { InvalidArgumentError } from 'commander';
import {
  ageArgument,
  fieldNameArgument,
  labelArgument,
  nameArgument,
  overlapArgument,
  placeArgument,
  reasonArgument,
} from './arguments';

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

describe('labelArgument', () => {
  it('takes a label, without the white space around it', () => {
    expect(labelArgument(' Site code ')).toBe('Site code');
  });

  it.each(['', '  ', '\u200b', '\u2060\u200e'])('refuses %j, in which nothing can be seen', (text) => {
    expect(() => labelArgument(text)).toThrow(InvalidArgumentError);
  });
});

describe('ageArgument', () => {
  it('takes a duration', () => {
    expect(ageArgument('90d')).toBe(90 * DAY);
  });

  it.each(['0', '0d', '7', '3651d', 'all'])('refuses %j', (text) => {
    expect(() => ageArgument(text)).toThrow(/^Expected a number with its unit, .* at most 3650d/);
  });
});

describe('a name and a reason', () => {
  it('are taken without the blanks around them', () => {
    expect(nameArgument(' Kim\u200e ')).toBe('Kim\u200e');
    expect(reasonArgument(' agreed ')).toBe('agreed');
  });

  it.each(['', ' ', '\u200b\u200e', '\u3164', '\u0007', '\u00ad \u2060'])(
    'have something to see, unlike %j',
    (text) => {
      expect(() => nameArgument(text)).toThrow(/^Expected a name/);
      expect(() => reasonArgument(text)).toThrow(/^Expected a reason/);
    },
  );
});

describe('placeArgument', () => {
  it('takes a place for each platform, and equals signs in paths', () => {
    const first = placeArgument('platform_a=custom.center');
    expect(placeArgument('platform_b=a=b', first)).toEqual({
      platform_a: 'custom.center',
      platform_b: 'a=b',
    });
  });

  it.each(['', 'platform_a', 'platform_a=', 'platform_z=x', '=x', '__proto__=x'])('refuses %j', (text) => {
    expect(() => placeArgument(text)).toThrow(InvalidArgumentError);
  });

  it('refuses a second place on one platform', () => {
    expect(() => placeArgument('platform_a=y', { platform_a: 'x' })).toThrow(/has a place already/);
  });
});

it.each(['', 'Cost', '1x', 'a-b', 'custom.x', 'x'.repeat(41)])('fieldNameArgument refuses %j', (text) => {
  expect(() => fieldNameArgument(text)).toThrow(/^Expected a name of the form/);
});
