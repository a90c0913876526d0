import { pooledRandomBytes, pooledRandomHex } from './random-pool';

describe('pooledRandomBytes', () => {
  it('gives as many bytes as asked, and none of them twice', () => {
    const given = Array.from({ length: 3_000 }, (_, count) => pooledRandomBytes(8 + (count % 20)));
    expect(given.map(({ length }) => length)).toEqual(given.map((_, count) => 8 + (count % 20)));
    expect(new Set(given.map((bytes) => bytes.toString('hex'))).size).toBe(given.length);
    const [first, second] = [pooledRandomBytes(16), pooledRandomBytes(16)];
    if (first.buffer === second.buffer) expect(Math.abs(first.byteOffset - second.byteOffset)).toBe(16);
  });

  it('gives text of as many bytes as asked, and none of it twice', () => {
    const given = Array.from({ length: 3_000 }, (_, count) => pooledRandomHex(8 + (count % 20)));
    expect(given.map((text) => text.length)).toEqual(given.map((_, count) => 2 * (8 + (count % 20))));
    expect(new Set(given).size).toBe(given.length);
    expect(given.join('')).toMatch(/^[0-9a-f]+$/);
  });
});
