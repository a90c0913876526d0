import { filtersOfCause } from './case-filters';

describe('the cases of a line', () => {
  it('are those of its cause', () => {
    expect(filtersOfCause('amounts_disagree')).toEqual({ kind: 'disagreement', field: 'amount' });
    expect(filtersOfCause('only_on_platform_b')).toEqual({ kind: 'only_on', platform: 'platform_b' });
  });

  it.each(['rounding', 'dated_after_platform_a', 'of a later release'])('are none for %s', (cause) => {
    expect(filtersOfCause(cause)).toBeUndefined();
  });
});
