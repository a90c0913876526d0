import { momentsBefore } from './moments';

describe('momentsBefore', () => {
  it('compares a version that ended with the one that stood then, not with itself', () => {
    // Inside of the records at a time, `v` is each of their versions.
    expect(momentsBefore).toContain('v.until > ended.until');
    expect(momentsBefore).not.toContain('v.until > v.until');
  });
});
