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
});
