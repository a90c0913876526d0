import { fc } from '../../libs/mapper/src/testing/property';
import { csvLine } from './csv';

/** A reader by the grammar of RFC 4180, written for this test. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quoted) {
      if (char !== '"') cell += char;
      else if (text[at + 1] === '"') cell += text.charAt((at += 1));
      else quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === ',') {
      row.push(cell);
      cell = '';
    } else if (char === '\r' && text[at + 1] === '\n') {
      rows.push([...row, cell]);
      row = [];
      cell = '';
      at += 1;
    } else cell += char;
  }
  expect([row, cell]).toEqual([[], '']);
  return rows;
}

describe('a line of CSV', () => {
  it('comes back from a reader, whatever the text', () => {
    const table = fc.array(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 4 }), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(table, (rows) => {
        const read = readCsv(rows.map((row) => csvLine(row)).join(''));
        expect(read.map((row) => row.map((cell) => cell.replace(/^'/, '')))).toEqual(rows);
      }),
    );
  });

  it('holds nothing that a spreadsheet would compute', () => {
    const start = fc.constantFrom('=', '+', '-', '@', '\t', '\r', '"=', '');
    fc.assert(
      fc.property(start, fc.string(), (first, rest) => {
        const [[cell = ''] = []] = readCsv(csvLine([first + rest]));
        expect(cell).not.toMatch(/^[=+\-@\t\r]/);
      }),
    );
  });

  it.each([
    ['007', "'007"],
    ['1234567890123456', "'1234567890123456"],
    ['1e5', "'1e5"],
    ['-5', "'-5"],
    ["'tis", "''tis"],
    ['2026-02-01', '2026-02-01'],
    ['INV-1', 'INV-1'],
    ['12', '12'],
    ['01bb7ff0-7489-496c-b5b4-89e581341b99', '01bb7ff0-7489-496c-b5b4-89e581341b99'],
    ['01bb7ff0-7489', "'01bb7ff0-7489"],
    ['a,"b"', '"a,""b"""'],
    ['two\nlines', '"two\nlines"'],
  ])('writes %j as %s', (text, written) => {
    expect(csvLine([text])).toBe(`${written}\r\n`);
  });

  it('leaves numbers numbers, and nothing empty', () => {
    expect(csvLine([{ number: '-1700.50' }, null, ''])).toBe('-1700.50,,\r\n');
  });
});
