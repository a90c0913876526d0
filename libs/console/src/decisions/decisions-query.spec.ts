import { decisionsQueryOf } from './decisions-query';

describe('the query of decisions', () => {
  it.each([
    ['', { status: 'standing' }],
    ['status=withdrawn&decision=link', { status: 'withdrawn', decision: 'link' }],
    ['status=all&entity_type=payment', { entity_type: 'payment' }],
    ['status=other&decision=other&entity_type=other', { status: 'standing' }],
  ])('of the address %p', (address, expected) => {
    expect(decisionsQueryOf(new URLSearchParams(address))).toEqual(expected);
  });
});
