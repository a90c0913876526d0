import { fc } from '../../../libs/mapper/src/testing/property';
import { BOM, csvLine } from './csv';

/** A parser for the grammar of RFC 4180, written for this test. */
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

/** How a spreadsheet would interpret a cell, by rules written for this test. Whole numbers read the same either way. */
function asSpreadsheet(cell: string): 'text' | 'other' {
  const shown = cell.normalize('NFKC');
  const trimmed = shown.replace(/^[\p{Z}\p{C}]+/u, '');
  if (trimmed !== shown) return 'other';
  if (/^[1-9]\d{0,14}$|^0?$/.test(cell)) return 'text';
  if (/^[=+\-@]/.test(trimmed) || /^(?:true|false)$/i.test(trimmed)) return 'other';
  return /^[$€(.,]*\d[\d.,:/ $€%()-]*(?:e[-+]?\d+)?[%)]?$|^mar[-. /]?\d/i.test(trimmed) ? 'other' : 'text';
}

describe('a line of CSV', () => {
  it('is read back as the same text by a CSV reader', () => {
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

  it('keeps every text for a reader that removes one leading apostrophe, also text that looks like a number or formula', () => {
    const likely = fc.array(
      fc.oneof(
        fc.constantFrom(
          '=',
          '＝',
          '＋',
          '－',
          '＠',
          '-',
          '/',
          '.',
          ':',
          '%',
          '€',
          '$',
          ' ',
          '\u200b',
          BOM,
          "'",
          'E',
          'MAR',
          'TRUE',
        ),
        fc.nat({ max: 99_999 }).map(String),
        fc.string({ maxLength: 3 }),
      ),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(likely, (parts) => {
        const text = parts.join('');
        const [[cell = ''] = []] = readCsv(csvLine([text]));
        expect(cell.startsWith("'") ? cell.slice(1) : cell).toBe(text);
        if (!cell.startsWith("'")) expect(asSpreadsheet(cell)).toBe('text');
      }),
    );
  });

  it.each([
    ['007', "'007"],
    ['1234567890123456', "'1234567890123456"],
    ['1e5', "'1e5"],
    ['-5', "'-5"],
    ["'tis", "''tis"],
    ['2026-02-01', "'2026-02-01"],
    ['1.10', "'1.10"],
    ['1,10', `"'1,10"`],
    ['2025-10', "'2025-10"],
    ['3/4', "'3/4"],
    ['1-2', "'1-2"],
    ['10:30', "'10:30"],
    ['1E5', "'1E5"],
    ['.5', "'.5"],
    ['(5)', "'(5)"],
    ['5%', "'5%"],
    ['$5', "'$5"],
    ['€ 5', "'€ 5"],
    ['1 000', "'1 000"],
    ['１２.5', "'１２.5"],
    ['٣/٤', "'٣/٤"],
    ['00', "'00"],
    ['123456789012345', '123456789012345'],
    ['MAR-01', "'MAR-01"],
    ['Dec 5', "'Dec 5"],
    ['sept2', "'sept2"],
    ['Okt-10', "'Okt-10"],
    ['5 May', "'5 May"],
    ['janvier 2026', "'janvier 2026"],
    ['Januar 2026', "'Januar 2026"],
    ['JULI-26', "'JULI-26"],
    ['enero 2026', "'enero 2026"],
    ['ottobre 2026', "'ottobre 2026"],
    ['março 2026', "'março 2026"],
    ['يناير 2026', "'يناير 2026"],
    ['يناير ٢٠٢٦', "'يناير ٢٠٢٦"],
    ['Juliette 2', 'Juliette 2'],
    ['TRUE', "'TRUE"],
    ['false', "'false"],
    ['#N/A', "'#N/A"],
    ['＝1+1', "'＝1+1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠SUM(1)', "'＠SUM(1)"],
    ['\u22121', "'\u22121"],
    [' =1+1', "' =1+1"],
    ['\t=1+1', `"'\t=1+1"`],
    ['\u00a0=1+1', "'\u00a0=1+1"],
    ['\u200b=1+1', "'\u200b=1+1"],
    [`${BOM}=1+1`, `'${BOM}=1+1`],
    ['\n=1+1', `"'\n=1+1"`],
    ['a;=1+1', '"a;=1+1"'],
    ['MARINE-01', 'MARINE-01'],
    ['TRUEBLOOD', 'TRUEBLOOD'],
    ['INV-1', 'INV-1'],
    ['No. 5', 'No. 5'],
    ['12', '12'],
    ['0', '0'],
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

  it('leaves times as they are', () => {
    expect(csvLine([{ plain: '2026-02-01T10:00:00.000Z' }])).toBe('2026-02-01T10:00:00.000Z\r\n');
  });
});
