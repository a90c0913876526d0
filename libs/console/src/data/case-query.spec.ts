import { caseQueryOf, isFiltered, membersOf } from './case-query';

describe('the query of cases', () => {
  it('takes from an address what chooses cases, and nothing else', () => {
    const members = new URLSearchParams('kind=only_on&owner=&page=abc&through=2026-06-30');
    expect(caseQueryOf(members)).toEqual({ kind: 'only_on', through: '2026-06-30' });
  });

  it('goes back to an address, with members changed or left out', () => {
    const members = membersOf({ kind: 'only_on', sort: 'amount' }, { kind: undefined, owner: 'Omar' });
    expect(caseQueryOf(new URLSearchParams(defined(members)))).toEqual({ sort: 'amount', owner: 'Omar' });
  });

  it('knows whether it leaves open cases out', () => {
    expect(isFiltered({})).toBe(false);
    expect(isFiltered({ state: 'open', sort: 'amount', age_by: 'due' })).toBe(false);
    expect(isFiltered({ state: 'closed' })).toBe(true);
    expect(isFiltered({ as_of: '2026-06-30' })).toBe(true);
  });
});

function defined(members: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
