import { partWords, unseenWords } from './part-words';

describe('what is said of a write of which a part was taken', () => {
  const change = (name: string) => ({ path: name.split('.'), value: 'x' });
  const changes = ['title', 'dates.end', 'grand_total'].map(change);
  const refused = { changes: [change('grand_total')], reason: 'This record is locked' };

  it('names what was written and what was not, with the words of the platform', () => {
    expect(partWords({ platformId: '7', changes }, refused)).toBe(
      'written: title, dates.end; not written: grand_total (This record is locked)',
    );
  });

  it('says of a new record that it is there', () => {
    expect(partWords({ platformId: null, changes }, refused)).toBe(
      'created; not written: grand_total (This record is locked)',
    );
  });

  it('is not longer for a write of many fields', () => {
    const many = Array.from({ length: 5_000 }, (_, place) => change(`field_${place}`));
    expect(partWords({ platformId: '7', changes: many }, refused)).toMatch(/field_19 and 4980 more; not/);
  });
});

describe('what is said of a write that the platform does not show', () => {
  it('names the platform, and what it took', () => {
    const unseen = [{ path: ['due_date'], value: '2026-03-01' }];
    expect(unseenWords({ platform: 'platform_a' }, unseen)).toBe(
      'platform_a took due_date, and does not show it',
    );
  });
});
