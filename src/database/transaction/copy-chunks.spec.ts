import { fc } from '../../../libs/mapper/src/testing/property';
import { CopyChunks } from './copy-chunks';

function chunksOf(lines: readonly string[]): readonly Buffer[] {
  const chunks = new CopyChunks();
  for (const line of lines) chunks.add(line);
  return chunks.end();
}

describe('CopyChunks', () => {
  it('has nothing where no line was added', () => {
    expect(chunksOf([])).toEqual([]);
  });

  it('keeps every line whole and in order, in UTF-8', () => {
    // Characters of one to four bytes, in lines up to more than the size of a chunk.
    const line = fc
      .tuple(fc.constantFrom('x', 'é', '\u2028', '🏗', 'x🏗é'), fc.integer({ min: 0, max: 90_000 }))
      .map(([text, times]) => `${text.repeat(times / text.length)}\n`);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const chunks = chunksOf(lines);
        expect(Buffer.concat(chunks).equals(Buffer.from(lines.join('')))).toBe(true);
        for (const chunk of chunks) expect(chunk.at(-1)).toBe(0x0a);
      }),
    );
  });

  it('puts many lines into a chunk, and no more than 64 KiB', () => {
    const lines = Array.from({ length: 1_000 }, () => `${'é'.repeat(500)}\n`);
    const chunks = chunksOf(lines);
    expect(chunks).toHaveLength(Math.ceil(1_000 / Math.floor(65_536 / 1_001)));
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(65_536);
  });

  it('uses at most twice the memory of what was added, apart from Node’s pool for small buffers', () => {
    for (const length of [1, 100, 20_000, 40_000, 65_000]) {
      const [chunk] = chunksOf([`${'x'.repeat(length)}\n`]);
      expect(chunk?.buffer.byteLength).toBeLessThanOrEqual(Math.max(Buffer.poolSize, 2 * (length + 1)));
    }
  });

  it('gives a line that is longer than a chunk one of its own', () => {
    const long = `${'x'.repeat(200_000)}\n`;
    expect(chunksOf(['a\n', long, 'b\n']).map(String)).toEqual(['a\n', long, 'b\n']);
  });
});
