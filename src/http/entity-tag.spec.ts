import { entityTag, namesVersion } from './entity-tag';

describe('namesVersion', () => {
  it.each(['"abc"', 'W/"abc"', '"x", "abc"', '"x" ,W/"abc"', '*'])('holds for %s', (header) => {
    expect(namesVersion(header, 'abc')).toBe(true);
  });

  it.each([undefined, '', 'abc', '"ab"', '"abcd"', '"a", "b"'])('does not hold for %s', (header) => {
    expect(namesVersion(header, 'abc')).toBe(false);
  });

  it('takes a tag as it was given out', () => {
    expect(namesVersion(entityTag('Zm9v-_'), 'Zm9v-_')).toBe(true);
  });
});
