import { entityTag, namesTag, refinedTag, versionIn } from './entity-tag';

describe('namesTag', () => {
  it.each(['"abc"', 'W/"abc"', '"x", "abc"', '"x" ,W/"abc"', '*'])('holds for %s', (header) => {
    expect(namesTag(header, 'abc')).toBe(true);
  });

  it.each([undefined, '', 'abc', '"ab"', '"abcd"', '"a", "b"'])('does not hold for %s', (header) => {
    expect(namesTag(header, 'abc')).toBe(false);
  });

  it('accepts a tag in the form of the response', () => {
    expect(namesTag(entityTag('Zm9v-_'), 'Zm9v-_')).toBe(true);
  });
});

describe('a refined tag', () => {
  const version = 'QprK-Lk7ZGOd_aFpCv0d7o';

  it('contains its version, and differs for different text', () => {
    const tag = refinedTag(version, 'one');
    expect(tag).toMatch(/^[\w-]{45}$/);
    expect(versionIn(tag)).toBe(version);
    expect(refinedTag(version, 'other')).not.toBe(tag);
  });

  it.each([version, '', 'x', `${version}-`, `${version}-short`, '-'.repeat(44), '-'.repeat(46)])(
    'does not match %s, which stands for itself',
    (text) => {
      expect(versionIn(text)).toBe(text);
    },
  );
});
