import { table } from './table';

describe('table', () => {
  it('aligns columns under their names', () => {
    expect(
      table(
        ['from', 'rate'],
        [
          { from: 'USD', rate: '3.64' },
          { from: 'EUR', rate: null },
        ],
      ),
    ).toBe('from  rate\nUSD   3.64\nEUR   -\n');
  });

  it('shows the names alone when there are no rows', () => {
    expect(table(['key_id', 'mode'], [])).toBe('key_id  mode\n');
  });

  it('takes more rows than a call has room for arguments', () => {
    const rows = Array.from({ length: 200_000 }, (_, index) => ({ count: index }));
    expect(table(['count'], rows)).toMatch(/\n199999\n$/);
  });

  it('aligns numbers like text', () => {
    expect(table(['name', 'count'], [{ name: 'a', count: 12 }])).toBe('name  count\na     12\n');
  });

  it('shows control characters instead of obeying them', () => {
    expect(table(['name'], [{ name: 'a\nb\u001b[2J\u009b\u202e' }])).toBe(
      'name\na\\u000ab\\u001b[2J\\u009b\\u202e\n',
    );
  });

  it('leaves letters of every script as they are', () => {
    expect(table(['name'], [{ name: 'شركة البناء – 建設' }])).toBe('name\nشركة البناء – 建設\n');
  });
});
