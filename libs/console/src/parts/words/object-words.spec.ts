import { fieldWords, originWords, rejectionWords, ruleWords, typedName } from './object-words';

describe('typedName', () => {
  it.each([
    [{ object: 'contract', number: ' PO-DCH  014', title: 'Panels' }, 'PO-DCH 014'],
    [{ object: 'customer', number: null, name: 'Falcon' }, 'Falcon'],
    [{ object: 'payment', check_number: ' ' }, 'pay_1'],
    [{ object: 'invoice' }, 'pay_1'],
  ])('of %j can be typed: %s', (data, text) => {
    expect(typedName({ data, canonical_id: 'pay_1' } as never)).toBe(text);
  });
});

describe('words', () => {
  it('say what the names of the API mean', () => {
    expect(fieldWords('check_number')).toBe('check number');
    expect(originWords({ type: 'run', platform: 'platform_b' })).toBe('platform_b was read');
    expect(originWords({ type: 'propagation', decided_by: 'Mariam' })).toMatch(/decided by Mariam$/);
    expect(originWords({ type: 'decision', decided_by: 'Omar' })).toMatch(/by Omar$/);
    expect(ruleWords('unique_key')).toMatch(/once on each platform$/);
    expect(rejectionWords('ruled_out')).toMatch(/person/);
  });
});
