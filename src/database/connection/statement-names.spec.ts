import { statementName } from './statement-names';

describe('statementName', () => {
  it('gives the same name to the same text only', () => {
    expect(statementName('select 1')).toBe(statementName('select 1'));
    expect(statementName('select 1')).not.toBe(statementName('select 2'));
  });

  it('gives names that PostgreSQL does not cut', () => {
    expect(statementName('select 3')?.length).toBeLessThan(63);
  });

  it('ends giving names to ever new texts, and keeps those it gave', () => {
    const first = statementName('select first');
    const names = Array.from({ length: 1_000 }, (_, index) => statementName(`select ${index} as made_up`));
    expect(names.filter((name) => name !== undefined).length).toBeLessThanOrEqual(500);
    expect(names.at(-1)).toBeUndefined();
    expect(statementName('select first')).toBe(first);
  });
});
