import { randomHex, randomUuid } from './random-names';

describe('randomHex', () => {
  it('has two digits for each byte, and is another one each time', () => {
    expect(randomHex(10)).toMatch(/^[0-9a-f]{20}$/);
    expect(new Set(Array.from({ length: 100 }, () => randomHex(10))).size).toBe(100);
  });
});

describe('randomUuid', () => {
  it('is a UUID of version 4', () => {
    for (let count = 0; count < 100; count += 1) {
      expect(randomUuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });
});
