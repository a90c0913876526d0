import { noProgress } from './partial-progress';
import { joinedReasons, progressReason, partialWriteReason, unseenFieldsReason } from './progress-reasons';

describe('the reason of a write that was taken in part', () => {
  const change = (name: string) => ({ path: name.split('.'), value: 'x' });
  const changes = ['title', 'dates.end', 'grand_total'].map(change);
  const made = noProgress;
  const refused = { changes: [change('grand_total')], reason: 'This record is locked' };

  it('names the written and the other fields, in the platform’s words', () => {
    expect(partialWriteReason({ platformId: '7', changes, made }, refused)).toBe(
      'written: title, dates.end; not written: grand_total (This record is locked)',
    );
  });

  it('says that a new record exists', () => {
    expect(partialWriteReason({ platformId: null, changes, made }, refused)).toBe(
      'created; not written: grand_total (This record is locked)',
    );
  });

  it('names fields that an earlier attempt has written, even if the change no longer has them', () => {
    const before = { formerly: [], changes: ['notes', 'title'].map(change) };
    expect(partialWriteReason({ platformId: '7', changes, made: before }, refused)).toBe(
      'written: notes, title, dates.end; not written: grand_total (This record is locked)',
    );
    const all = { formerly: [], changes: [...changes] };
    expect(partialWriteReason({ platformId: '7', changes, made: all }, refused)).toBe(
      'written: title, dates.end, grand_total (This record is locked)',
    );
  });

  it('names records that a command created although it was not applied', () => {
    const before = { formerly: ['4'], createdAs: '5', changes: [change('title')] };
    expect(progressReason({ platformId: '7', made: before })).toBe('written before: title');
    expect(progressReason({ platformId: null, made: before })).toBe('created before as 4, 5');
    expect(progressReason({ platformId: null, made: noProgress })).toBeUndefined();
    expect(progressReason({ platformId: '7', made: noProgress })).toBeUndefined();
  });

  it('claims nothing about fields that an earlier attempt may have written', () => {
    expect(partialWriteReason({ platformId: '7', changes, made }, { ...refused, isUnknown: true })).toMatch(
      /^written: title, dates\.end; not known to be written: grand_total \(/,
    );
  });

  it('is not longer for a write of many fields', () => {
    const many = Array.from({ length: 5_000 }, (_, place) => change(`field_${place}`));
    expect(partialWriteReason({ platformId: '7', changes: many, made }, refused)).toMatch(
      /field_19 and 4980 more; not/,
    );
    expect(partialWriteReason({ platformId: '7', changes: many.slice(0, 20), made }, refused)).toMatch(
      /field_19; not/,
    );
  });
});

describe('the reason of a write that the platform does not show', () => {
  it('names the platform and the fields that it took', () => {
    const unseen = [{ path: ['due_date'], value: '2026-03-01' }];
    expect(unseenFieldsReason({ platform: 'platform_a' }, unseen)).toBe(
      'platform_a took due_date, and does not show it',
    );
  });
});

describe('several reasons', () => {
  it('stand in one text, without those that say nothing', () => {
    expect(joinedReasons('locked', null, '', undefined, 'posted')).toBe('locked; posted');
    expect(joinedReasons(null, '', undefined)).toBeNull();
  });
});
