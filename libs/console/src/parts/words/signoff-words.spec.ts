import { standingOf } from './signoff-words';

const compared = { as_of: '2026-06-30T00:00:00Z', complete: true };

describe('standingOf', () => {
  it.each([
    [{ state: 'standing', current: true, changes_total: 0, compared }, 'tied', 'Current'],
    [
      { state: 'standing', current: true, changes_total: 0, compared: { ...compared, complete: false } },
      'offset',
      'Current so far',
    ],
    [{ state: 'standing', current: false, changes_total: 1, compared }, 'open', '1 figure has changed'],
    [
      { state: 'standing', current: false, changes_total: 1200, compared: { ...compared, complete: false } },
      'open',
      '1,200 figures have changed so far',
    ],
    [{ state: 'withdrawn', current: false, changes_total: 0, compared: null }, 'offset', 'Withdrawn'],
  ] as const)('of %j is %s: %s', (signoff, state, words) => {
    expect(standingOf(signoff)).toEqual({ state, words });
  });
});
