import { hashOf } from './address';
import { isProven, secretsInHeader } from './proof';

describe('isProven', () => {
  it('finds the secret among the presented ones', () => {
    expect(isProven(['right'], hashOf('right'))).toBe(true);
    expect(isProven(['wrong', 'right', 'wrong'], hashOf('right'))).toBe(true);
  });

  it('accepts no other secret', () => {
    expect(isProven([], hashOf('right'))).toBe(false);
    expect(isProven(['wrong', '', hashOf('right')], hashOf('right'))).toBe(false);
  });

  it('is false if no receiver has the address', () => {
    expect(isProven(['', 'anything', hashOf('')], undefined)).toBe(false);
  });

  it('checks a bounded number of secrets', () => {
    expect(
      isProven([...Array.from({ length: 100 }, (_, place) => `${place}`), 'right'], hashOf('right')),
    ).toBe(false);
  });
});

describe('secretsInHeader', () => {
  it.each([
    [['Bearer abc'], ['abc']],
    [['bearer  abc '], ['abc']],
    [[], []],
    [['abc'], []],
    [['Basic abc'], []],
    [['Bearer a b'], []],
    [['Bearer abc', 'Bearer abc'], []],
  ])('%j shows %j', (values, expected) => {
    expect(secretsInHeader(values)).toEqual(expected);
  });
});
