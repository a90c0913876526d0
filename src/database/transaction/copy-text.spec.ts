import { fc } from '../../../libs/mapper/src/testing/property';
import { copyLine } from './copy-text';

/** Decodes the format as PostgreSQL's documentation describes it. */
function readLine(line: string): (string | null)[] {
  expect(line.endsWith('\n')).toBe(true);
  const columns = line.slice(0, -1).split('\t');
  const escapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
  return columns.map((column) =>
    column === '\\N'
      ? null
      : column.replace(/\\(.)/gs, (_, character: string) => escapes[character] ?? character),
  );
}

describe('copyLine', () => {
  it('separates columns by tabs and marks null', () => {
    expect(copyLine(['one', null, '', 'two'])).toBe('one\t\\N\t\ttwo\n');
  });

  it('escapes what would end a column or a line, or begin an escape', () => {
    expect(copyLine(['a\tb', 'c\nd', 'e\rf', '\\N', '\\.'])).toBe('a\\tb\tc\\nd\te\\rf\t\\\\N\t\\\\.\n');
  });

  it.each(['\\', '\t', '\n', '\r'])('finds %j in a long text too', (character) => {
    const text = `${'x'.repeat(500)}${character}`;
    expect(readLine(copyLine([text]))).toEqual([text]);
    expect(copyLine([text]).slice(500)).not.toBe(`${character}\n`);
  });

  it('leaves everything else as it is', () => {
    expect(copyLine(['{"a":"شركاء \u2028 👩‍👧","b":[1e400]}'])).toBe('{"a":"شركاء \u2028 👩‍👧","b":[1e400]}\n');
  });

  it('is read back as it was', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('\\', 'N', 'n', 't', '.', '\t', '\n', '\r', '"', 'x') }),
    );
    const column = fc.option(text.filter((value) => !value.includes('\0')));
    fc.assert(
      fc.property(fc.array(column, { minLength: 1 }), (columns) => {
        const line = copyLine(columns);
        expect(line.slice(0, -1)).not.toContain('\n');
        expect(readLine(line)).toEqual(columns);
      }),
    );
  });
});
