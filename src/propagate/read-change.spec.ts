import { quoteOf } from './plan/intent/change';
import type { PropagateDto } from './propagate.dto';
import { readChange } from './read-change';

const native = (data: object, context?: object): PropagateDto =>
  ({
    format: 'platform',
    platform: 'platform_a',
    platform_id: '1',
    entity_type: 'payment',
    data,
    context,
  }) as PropagateDto;
const canonical = (data: object): PropagateDto =>
  ({ format: 'canonical', canonical_id: 'pay_x', entity_type: 'payment', data }) as PropagateDto;

describe('readChange', () => {
  it('reads what a change is for', () => {
    expect(readChange(native({ notes: 'x' }))).toEqual({
      entityType: 'payment',
      target: { format: 'platform', platform: 'platform_a', platformId: '1' },
      patch: { notes: 'x' },
      context: {},
      why: {},
    });
    expect(readChange(canonical({})).target).toEqual({ format: 'canonical', canonicalId: 'pay_x' });
  });

  it.each([
    ['text that cannot be stored', native({ a: { b: ['\0'] } }), 'data.a.b[0]'],
    ['a field that is read-only', native({ id: 5 }), 'data.id'],
    ['a canonical field that is none', canonical({ colour: 'red' }), 'data.colour'],
  ])('refuses %s as invalid, without looking at the object', (_, body, path) => {
    expect(() => readChange(body)).toThrow(path);
  });
});

describe('quoteOf', () => {
  const quote = { from: 'USD', to: 'QAR', rate: '3.70' };

  it('reads the rate of the context, and nothing else of it', () => {
    expect(quoteOf(readChange(native({}, { exchangeRate: quote, currency: 'nonsense' })))).toEqual(quote);
    expect(quoteOf(readChange(native({}, {})))).toBeUndefined();
  });

  it('refuses one that cannot be used', () => {
    const change = readChange(native({}, { exchangeRate: { ...quote, rate: 3.7 } }));
    expect(() => quoteOf(change)).toThrow(expect.objectContaining({ kind: 'untranslatable' }));
    expect(() => quoteOf(change)).toThrow('context.exchangeRate.rate');
  });
});
