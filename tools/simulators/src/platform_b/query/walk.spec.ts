import { fc } from '../../../../../libs/mapper/src/testing/property';
import { customers } from '../model/master-pages';
import { textOf } from '../store/row';
import { Table } from '../store/table';
import { queryOptionsOf } from './options';
import { countOf, walkedPage, type Walk } from './walk';

const put = (table: Table, number: string, creditLimit = 0): void => {
  const id = `id-${number}`;
  table.set(id, { id, etag: '', values: { id, number, creditLimit } });
};

const walkOver = (table: Table, pageSize: number, text = ''): Walk => ({
  set: customers,
  table,
  options: queryOptionsOf(new URLSearchParams(text)),
  key: ['number'],
  pageSize,
});

/** Walks to the end; `between` runs after each page, with the numbers sent so far. */
function walked(
  table: Table,
  pageSize: number,
  text: string,
  between: (sent: readonly string[]) => void,
): string[] {
  const sent: string[] = [];
  let query = text;
  for (let pages = 0; pages < 1000; pages += 1) {
    const { rows, next } = walkedPage(walkOver(table, pageSize, query));
    sent.push(...rows.map((row) => textOf(row, 'number')));
    between(sent);
    if (next === undefined) return sent;
    query = `${text}&$skiptoken=${next}`;
  }
  throw new Error('the walk does not end');
}

describe('a walk by key', () => {
  const number = fc.nat(60).map((value) => `N${String(value).padStart(3, '0')}`);
  const change = fc.record({ insert: fc.boolean(), number });

  it('sends each row that is there all along exactly once, whatever comes and goes meanwhile', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(number, { maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 40 }),
        fc.constantFrom('', '$orderby=creditLimit', '$orderby=number desc'),
        (numbers, pageSize, changes, text) => {
          const table = new Table([]);
          const limitOf = (name: string): number => Number(name.slice(-1)) % 3;
          for (const name of numbers) put(table, name, limitOf(name));
          const gone = new Set<string>();
          const come = new Set<string>();
          let step = 0;
          const sent = walked(table, pageSize, text, () => {
            for (const { insert, number: name } of changes[step] ?? []) {
              if (insert && !numbers.includes(name)) {
                put(table, name, limitOf(name));
                come.add(name);
              } else if (!insert) {
                table.set(`id-${name}`, undefined);
                gone.add(name);
              }
            }
            step += 1;
          });
          const staying = numbers.filter((name) => !gone.has(name));
          expect(staying.filter((name) => !sent.includes(name))).toEqual([]);
          expect(new Set(sent).size).toBe(sent.length);
          expect(sent.filter((name) => !numbers.includes(name) && !come.has(name))).toEqual([]);
        },
      ),
    );
  });

  it('misses records that are inserted behind it, and is not shifted by deletions', () => {
    const table = new Table([]);
    for (const name of ['B', 'D', 'F', 'H']) put(table, name);
    const sent = walked(table, 2, '', (soFar) => {
      if (soFar.length > 2) return;
      put(table, 'A');
      put(table, 'E');
      table.set('id-B', undefined);
    });
    expect(sent).toEqual(['B', 'D', 'E', 'F', 'H']);
  });

  it('ends with the last row, and where $top says', () => {
    const table = new Table([]);
    for (const name of ['A', 'B', 'C', 'D']) put(table, name);
    expect(walkedPage(walkOver(table, 4)).next).toBeUndefined();
    expect(walked(table, 2, '$top=3', () => undefined)).toEqual(['A', 'B', 'C']);
    expect(walked(table, 2, '$skip=1', () => undefined)).toEqual(['B', 'C', 'D']);
    expect(countOf(walkOver(table, 1, "$filter=number ge 'B'"))).toBe(3);
  });

  it.each(['x', 'W10', 'WzEsMl0', Buffer.from('[null,1,2,3]').toString('base64url')])(
    'refuses the token %s',
    (token) => {
      expect(() => walkedPage(walkOver(new Table([]), 1, `$skiptoken=${token}`))).toThrow('skip token');
    },
  );
});
