import { causeWords, figureWords } from './figure-words';

describe('causeWords', () => {
  it('subtracts what the first platform has alone, and adds what the second has', () => {
    const both = ['platform_a', 'platform_b'] as const;
    expect(causeWords('only_on_platform_a', both)).toBe('Less: on platform_a only');
    expect(causeWords('only_on_platform_b', both)).toBe('Plus: on platform_b only');
    expect(causeWords('dated_after_platform_b', both)).toBe('Plus: dated after the cut-off, platform_b');
    expect(causeWords('rounding', both)).toBe('Rounding on conversion');
    expect(causeWords('of_a_later_release', both)).toBe('of_a_later_release');
  });
});

describe('figureWords', () => {
  it.each([
    ['agree', null, 'Agree'],
    ['ambiguous', null, 'Match not certain'],
    ['only_on', 'platform_b', 'On platform_b only'],
    ['deleted', 'platform_a', 'Deleted on platform_a'],
    ['sum', 'platform_a', 'Sum, platform_a'],
    ['only_on_platform_a', null, 'Less: on platform_a only'],
    ['accepted_of_amounts_disagree', null, 'Of which accepted: amounts differ'],
    ['accepted_of_only_on_platform_b', null, 'Of which accepted: plus: on platform_b only'],
    ['of_a_later_release', null, 'of_a_later_release'],
  ] as const)('says %s of %s', (line, platform, words) => {
    expect(figureWords({ line, platform }, ['platform_a', 'platform_b'])).toBe(words);
  });
});
