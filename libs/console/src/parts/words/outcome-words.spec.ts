import { conversionWords, outcomesSentence, outcomeWords } from './outcome-words';

describe('outcomeWords', () => {
  it('says what happened, or what will', () => {
    expect(outcomeWords('applied')).toEqual(['●', 'has the change']);
    expect(outcomeWords('applied', { isPlan: true })).toEqual(['●', 'will be written']);
    expect(outcomeWords('rejected', { isPlan: true })).toEqual(['✕', 'refused or given up']);
  });

  it.each(['new', 'constructor', '__proto__'])('leaves %s, which it does not know, as it is', (status) => {
    expect(outcomeWords(status)).toEqual(['·', status]);
  });
});

describe('outcomesSentence', () => {
  it('names each platform', () => {
    expect(
      outcomesSentence({ platform_a: { status: 'unchanged' }, platform_b: { status: 'rejected' } }),
    ).toBe('platform_a: needed no change; platform_b: refused or given up');
    expect(outcomesSentence({ platform_a: undefined })).toBe('');
  });
});

describe('conversionWords', () => {
  const conversion = {
    field: 'amount',
    from: 'USD',
    to: 'QAR',
    rate: '3.64',
    source: 'peg',
    rounding: 'half_even',
  } as const;
  it.each([
    [conversion, '1 USD = 3.64 QAR'],
    [{ ...conversion, from: 'QAR', to: 'USD', inverted: true } as const, '1 USD = 3.64 QAR'],
    [{ ...conversion, via: 'EUR' }, 'at 3.64, crossed through EUR'],
  ])('has the rate as it is quoted', (one, quote) => {
    expect(conversionWords(one)).toContain(quote);
  });
});
