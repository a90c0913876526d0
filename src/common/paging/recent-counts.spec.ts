import { RecentCounts } from './recent-counts';

const counts = [{ facet: 'total', value: 'total', count: 1 }];

describe('RecentCounts', () => {
  it('remembers counts for a minute', () => {
    let now = 0;
    const recent = new RecentCounts(() => now);
    recent.keep('a', counts);
    now = 59_999;
    expect([recent.of('a'), recent.of('b')]).toEqual([counts, undefined]);
    now = 60_000;
    expect(recent.of('a')).toBeUndefined();
  });

  it('forgets those that were counted first', () => {
    const recent = new RecentCounts();
    for (let list = 0; list <= 200; list += 1) recent.keep(String(list), counts);
    expect([recent.of('0'), recent.of('1'), recent.of('200')]).toEqual([undefined, counts, counts]);
    recent.keep('1', counts);
    recent.keep('x', counts);
    expect([recent.of('1'), recent.of('2')]).toEqual([counts, undefined]);
  });
});
