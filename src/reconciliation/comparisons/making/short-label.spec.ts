import { shortLabel } from './short-label';

describe('a text of a case', () => {
  it('has at most 200 characters, and no half of one', () => {
    expect(shortLabel('x'.repeat(200))).toBe('x'.repeat(200));
    expect(shortLabel('x'.repeat(201))).toBe(`${'x'.repeat(199)}…`);
    const long = shortLabel(`${'x'.repeat(198)}${'😀'.repeat(900)}`);
    expect(long).toBe(`${'x'.repeat(198)}😀…`);
    expect(shortLabel(`x${'😀'.repeat(900)}`)).toBe(`x${'😀'.repeat(99)}…`);
  });
});
