import { shortened } from './shortened';

describe('a text of a case', () => {
  it('has at most 200 characters, and no half of one', () => {
    expect(shortened('x'.repeat(200))).toBe('x'.repeat(200));
    expect(shortened('x'.repeat(201))).toBe(`${'x'.repeat(199)}…`);
    const long = shortened(`${'x'.repeat(198)}${'😀'.repeat(900)}`);
    expect(long).toBe(`${'x'.repeat(198)}😀…`);
    expect(shortened(`x${'😀'.repeat(900)}`)).toBe(`x${'😀'.repeat(99)}…`);
  });
});
