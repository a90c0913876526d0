import { StatementNames } from './statement-names';

describe('names of statements', () => {
  let names: StatementNames;
  beforeEach(() => (names = new StatementNames()));

  it('are the same for the same text only, in every process', () => {
    expect(names.of('select 1')).toBe(names.of('select 1'));
    expect(names.of('select 1')).toBe(new StatementNames().of('select 1'));
    expect(names.of('select 1')).not.toBe(names.of('select 2'));
  });

  it('are not cut by PostgreSQL', () => {
    expect(names.of('select 3')?.length).toBeLessThan(63);
  });

  it('are no longer given to ever new texts, which keep those that they have', () => {
    const first = names.of('select first');
    const given = Array.from({ length: 1_000 }, (_, index) => names.of(`select ${index} as made_up`));
    expect(given.filter((name) => name !== undefined).length).toBe(499);
    expect(given.at(-1)).toBeUndefined();
    expect(names.of('select first')).toBe(first);
  });
});
