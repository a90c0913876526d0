import { findQueryOf } from './find-query';

describe('findQueryOf', () => {
  it.each([
    ['', { q: undefined, type: 'invoice', status: undefined }],
    ['q=+&type=x&status=y', { q: undefined, type: 'invoice', status: undefined }],
    ['q=CHK&type=payment&status=paid', { q: 'CHK', type: 'payment', status: 'paid' }],
    ['q=CHK&type=payment&status=draft', { q: 'CHK', type: 'payment', status: undefined }],
  ])('of %j', (search, query) => {
    expect(findQueryOf(new URLSearchParams(search))).toEqual(query);
  });
});
