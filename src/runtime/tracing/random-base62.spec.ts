import { randomBase62 } from './random-base62';

describe('randomBase62', () => {
  it.each([0, 1, 20, 500])('gives %d letters and digits', (length) => {
    expect(randomBase62(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
  });

  it('uses every character about equally often', () => {
    const counts = new Map<string, number>();
    for (const character of randomBase62(62_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // 1000 expected, standard deviation 31: a deviation of eight times that is not chance.
    expect(Math.min(...counts.values())).toBeGreaterThan(750);
    expect(Math.max(...counts.values())).toBeLessThan(1250);
  });

  it('does not repeat itself', () => {
    expect(new Set(Array.from({ length: 1000 }, () => randomBase62(16))).size).toBe(1000);
  });
});
