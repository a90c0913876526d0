import { wantsCsv } from './csv-accepted';

describe('a client wants CSV', () => {
  it.each([
    [undefined, false],
    ['*/*', false],
    ['application/json', false],
    ['text/csv', true],
    ['text/csv; q=0', false],
    ['application/json, text/csv;q=0.5', false],
    ['text/csv, application/json;q=0.9, */*', true],
  ])('with Accept: %s: %s', (accept, expected) => {
    expect(wantsCsv(accept)).toBe(expected);
  });
});
