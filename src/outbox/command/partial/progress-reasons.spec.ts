import { noProgress } from './partial-progress';
import { progressReason, partialWriteReason, unseenFieldsReason } from './progress-reasons';

describe('what is said of a write of which a part was taken', () => {
  const change = (name: string) => ({ path: name.split('.'), value: 'x' });
  const changes = ['title', 'dates.end', 'grand_total'].map(change);
  const made = noProgress;
  const refused = { changes: [change('grand_total')], reason: 'This record is locked' };

  it('names what was written and what was not, with the words of the platform', () => {
    expect(partialWriteReason({ platformId: '7', changes, made }, refused)).toBe(
      'written: title, dates.end; not written: grand_total (This record is locked)',
    );
  });

  it('says of a new record that it is there', () => {
    expect(partialWriteReason({ platformId: null, changes, made }, refused)).toBe(
      'created; not written: grand_total (This record is locked)',
    );
  });

  it('names what an attempt before has written, also what is not among the changes any more', () => {
    const before = { formerly: [], changes: ['notes', 'title'].map(change) };
    expect(partialWriteReason({ platformId: '7', changes, made: before }, refused)).toBe(
      'written: notes, title, dates.end; not written: grand_total (This record is locked)',
    );
    const all = { formerly: [], changes: [...changes] };
    expect(partialWriteReason({ platformId: '7', changes, made: all }, refused)).toBe(
      'written: title, dates.end, grand_total (This record is locked)',
    );
  });

  it('names what was made by a command that was not applied', () => {
    const before = { formerly: ['4'], createdAs: '5', changes: [change('title')] };
    expect(progressReason({ platformId: '7', made: before })).toBe('written before: title');
    expect(progressReason({ platformId: null, made: before })).toBe('created before as 4, 5');
    expect(progressReason({ platformId: null, made: noProgress })).toBeUndefined();
    expect(progressReason({ platformId: '7', made: noProgress })).toBeUndefined();
  });

  it('claims nothing of what an attempt before may have written', () => {
    expect(partialWriteReason({ platformId: '7', changes, made }, { ...refused, isUnknown: true })).toMatch(
      /^written: title, dates\.end; not known to be written: grand_total \(/,
    );
  });

  it('is not longer for a write of many fields', () => {
    const many = Array.from({ length: 5_000 }, (_, place) => change(`field_${place}`));
    expect(partialWriteReason({ platformId: '7', changes: many, made }, refused)).toMatch(
      /field_19 and 4980 more; not/,
    );
  });
});

describe('what is said of a write that the platform does not show', () => {
  it('names the platform, and what it took', () => {
    const unseen = [{ path: ['due_date'], value: '2026-03-01' }];
    expect(unseenFieldsReason({ platform: 'platform_a' }, unseen)).toBe(
      'platform_a took due_date, and does not show it',
    );
  });
});
