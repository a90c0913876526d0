import { changesQueryOf, isOpen } from './changes-query';

describe('changesQueryOf', () => {
  it('takes the members that it knows and that have a value', () => {
    expect(changesQueryOf(new URLSearchParams('state=held&platform=&entity_type=payment&x=1'))).toEqual({
      state: 'held',
      entity_type: 'payment',
    });
  });
});

describe('isOpen', () => {
  it.each([
    ['held', true],
    ['uncertain', true],
    ['pending', true],
    ['rejected', false],
    ['applied', false],
    ['new', false],
  ])('of %s is %s', (status, expected) => {
    expect(isOpen(status)).toBe(expected);
  });
});
