import { RecentMap } from './recent-map';

describe('a map of recent entries', () => {
  it('drops the entry that was set first', () => {
    const map = new RecentMap<string, number>(2).set('a', 1).set('b', 2).set('c', 3);
    expect([...map]).toEqual([
      ['b', 2],
      ['c', 3],
    ]);
  });

  it('counts an entry that is set again as the last one', () => {
    const map = new RecentMap<string, number>(2).set('a', 1).set('b', 2).set('a', 3).set('c', 4);
    expect([...map]).toEqual([
      ['a', 3],
      ['c', 4],
    ]);
  });
});
