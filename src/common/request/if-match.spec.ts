import { knownVersions } from './if-match';

describe('knownVersions', () => {
  it.each([
    [undefined, undefined],
    ['*', '*'],
    ['"abc"', ['abc']],
    ['"abc" ,"d-e_f"', ['abc', 'd-e_f']],
    // A weak tag is well formed and matches nothing.
    ['W/"abc"', []],
  ])('of %p are %p', (header, versions) => {
    expect(knownVersions(header)).toEqual(versions);
  });

  it.each(['', 'abc', '"abc', '"a" "b"', '*, "a"', '"a",', '"a"b"'])('refuses %p', (header) => {
    expect(() => knownVersions(header)).toThrow(/the header If-Match/);
  });
});
